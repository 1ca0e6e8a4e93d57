/** A file's name and its last extension, with the dot. */
export function parts(name: string): { readonly stem: string; readonly extension: string } {
  const [, stem = "", extension = ""] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? [];
  return { stem: stem === "" ? extension : stem, extension: stem === "" ? "" : extension };
}

/** Names for files of a folder: none twice, none that leads elsewhere. In the order of what they are made of. */
export function fileNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const { stem, extension } = parts(name.replaceAll(/[/\\\0]/g, "_").replace(/^\.+/, "_"));
    let unique = stem + extension;
    for (let i = 2; taken.has(unique); i++) unique = `${stem}-${i}${extension}`;
    taken.add(unique);
    return unique;
  });
}
