import { ZipWriter } from "../../../src/archives/rules/zip-writer.ts";

/** Modification time of the files in the tests' archives. */
export const MTIME = Date.UTC(2026, 0, 2, 3, 4, 6);

/** The pieces of an archive of files, each given in chunks. */
export function piecesOf(files: Readonly<Record<string, readonly Uint8Array[]>>): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const zip = new ZipWriter((piece) => pieces.push(piece.slice()), MTIME);
  for (const [name, chunks] of Object.entries(files)) {
    const add = zip.entry(name);
    for (const chunk of chunks) add(chunk, false);
    add(new Uint8Array(), true);
  }
  zip.end();
  return pieces;
}

export const zipOf = (files: Readonly<Record<string, readonly Uint8Array[]>>): Buffer =>
  Buffer.concat(piecesOf(files));

const NOISE = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 2_654_435_761) >>> 13);

/** Up to 140,000 bytes that don't compress well, chosen by the seed. */
export const noise = (bytes: number, seed: number): Uint8Array =>
  NOISE.subarray((seed * 97) % 60_000).subarray(0, bytes);
