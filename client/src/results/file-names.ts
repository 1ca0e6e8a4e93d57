/** A file's name without its last extension, and that extension with its dot. */
function parts(name: string): readonly [stem: string, extension: string] {
  const [, stem = "", extension = ""] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? [];
  return stem === "" ? [extension, ""] : [stem, extension];
}

/** A file's name without its last extension. */
export const stemOf = (name: string): string => parts(name)[0];

/** Names for the files of one folder, by any ids: no two the same, and none that leads elsewhere. */
export function uniqueNames(names: ReadonlyMap<string, string>): Map<string, string> {
  const taken = new Set<string>();
  return new Map(
    [...names].map(([id, name]) => {
      const [stem, extension] = parts(name.replaceAll(/[/\\\0]/g, "_").replace(/^\.+/, "_"));
      let unique = stem + extension;
      for (let i = 2; taken.has(unique); i++) unique = `${stem}-${i}${extension}`;
      taken.add(unique);
      return [id, unique];
    }),
  );
}
