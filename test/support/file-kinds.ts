import kinds from "./file-kinds.json" with { type: "json" };

/**
 * The first bytes of many file formats, as Latin-1, with the content type that every part of the project gives them, and the
 * format's name.
 */
export const FILE_KINDS: readonly {
  readonly head: string;
  readonly contentType: string;
  readonly name: string | null;
}[] = kinds;
