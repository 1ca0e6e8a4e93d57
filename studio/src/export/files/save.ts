import { Zip, ZipPassThrough } from "fflate";
import type { Prepared } from "./download.ts";
import type { ExportFile } from "./scope.ts";

/** Time that a browser may take to begin a download. */
const KEPT_MS = 60_000;

/** Has the browser save files: a single one directly, several as a zip. @throws Error with a sentence if there is none */
export async function save({ files, title }: Prepared): Promise<void> {
  const [first, ...others] = files;
  if (first === undefined) throw new Error("There is nothing to save.");
  const isOne = others.length === 0;
  const url = URL.createObjectURL(isOne ? first.content : await packed(files));
  const link = document.createElement("a");
  link.href = url;
  link.download = isOne ? first.path.replaceAll("/", "-") : `${title}.zip`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Packs files into a zip, as they are: pictures don't get smaller. */
async function packed(files: readonly ExportFile[]): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    if (error !== null) failure = error;
    else chunks.push(new Uint8Array(chunk));
  });
  for (const { path, content } of files) {
    const entry = new ZipPassThrough(path);
    zip.add(entry);
    entry.push(new Uint8Array(await content.arrayBuffer()), true);
  }
  zip.end();
  if (failure !== null) throw failure;
  return new Blob(chunks, { type: "application/zip" });
}
