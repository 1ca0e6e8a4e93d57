/** A picture or a clip: a File or Blob, its bytes, or the URL where it is. */
export type Input = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | URL | string;

/** What to upload, with its name if it has one: a file, or the URL of one. */
export interface Source {
  readonly from: Blob | URL;
  readonly name: string | undefined;
}

/** Opens an input. @throws TypeError if a text is no URL */
export function sourceOf(input: Input): Source {
  if (input instanceof Blob) return { from: input, name: "name" in input ? String(input.name) : undefined };
  if (typeof input !== "string" && !(input instanceof URL))
    return { from: new Blob([input]), name: undefined };
  const from = new URL(input);
  return { from, name: from.protocol === "data:" ? undefined : from.pathname.split("/").pop() };
}
