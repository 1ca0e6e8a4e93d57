import type { Connection } from "../http/connection.ts";
import { readBlob } from "../http/read.ts";

/** A picture or a clip: a File or Blob, its bytes, or the URL where it is. */
export type Input = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | URL | string;

/** A file to upload, with its name if it has one. */
export interface NamedFile {
  readonly file: Blob;
  readonly name: string | undefined;
}

/** Opens an input; the bytes of a URL are fetched. @throws TypeError if a text is no URL */
export async function openInput(
  connection: Connection,
  input: Input,
  signal?: AbortSignal,
): Promise<NamedFile> {
  if (input instanceof Blob) return { file: input, name: "name" in input ? String(input.name) : undefined };
  if (typeof input !== "string" && !(input instanceof URL))
    return { file: new Blob([input]), name: undefined };
  const url = new URL(input);
  const file = await connection.storage(url.href, {}, readBlob, signal);
  return { file, name: url.pathname.split("/").pop() };
}
