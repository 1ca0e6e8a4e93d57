import { Zip, ZipPassThrough } from "fflate";

/** A file to take away, and where it is in a zip. */
export interface ExportFile {
  readonly path: string;
  readonly content: Blob;
}

/** Packs files into a zip, as they are: pictures don't get smaller. */
export async function packed(files: readonly ExportFile[]): Promise<Blob> {
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

/** How long a browser may take to begin with a download. */
const KEPT_MS = 60_000;

/** Has the browser save a file under a name. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Has the browser save files: one by itself, more as a zip. @param name of the zip, without its extension */
export async function saveAll(files: readonly ExportFile[], name: string): Promise<void> {
  const [first, ...others] = files;
  if (first === undefined) throw new Error("There is nothing to save.");
  if (others.length === 0) return saveAs(first.content, first.path.replaceAll("/", "-"));
  saveAs(await packed(files), `${name}.zip`);
}
