/** Gives names that no two files share, also where upper and lower case are the same; a name that was given stays taken. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  /** The wanted name, or with a number; parts of a path that would lead elsewhere are replaced. */
  take(wanted: string): string {
    const safe = wanted
      .split("/")
      .map((part) => part.replaceAll(/[\\\0:]/g, "_").replace(/^\.*$/, "_"))
      .join("/");
    const [, stem = "", ending = ""] = /^(.*?)(\.[^./]*)?$/s.exec(safe) ?? [];
    let name = safe;
    for (let i = 2; this.#taken.has(name.toLowerCase()); i++) name = `${stem}-${i}${ending}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}
