import kinds from "./file-kinds.json" with { type: "json" };

/** How files of many formats begin, as Latin-1 text, with the content type that every part of the project gives them, and their format's name. */
export const FILE_KINDS: readonly {
  readonly head: string;
  readonly contentType: string;
  readonly name: string | null;
}[] = kinds;
