import type { KeptArchive } from "../../core/jobs/answers.ts";

const KEY = "archive";
/** A value may have 2 MB at most, and what is kept of an archive ends with up to a part of 8 MiB. */
const PIECE_BYTES = 1024 * 1024;
const pieceKeyOf = (index: number): string => `${KEY}:${index}`;

/** What is kept of an archive as it is stored: the bytes of `rest` in so many values of their own. */
interface StoredArchive extends Omit<KeptArchive, "rest"> {
  readonly pieces: number;
}

/** Replaces what a JobObject keeps of its half-built archive. */
export function saveKeptArchive(kv: SyncKvStorage, { rest, ...kept }: KeptArchive): void {
  const pieces = Math.ceil(rest.length / PIECE_BYTES);
  const stored: StoredArchive = { ...kept, pieces };
  kv.put(KEY, stored);
  for (let i = 0; i < pieces; i += 1) {
    kv.put(pieceKeyOf(i), rest.slice(i * PIECE_BYTES, (i + 1) * PIECE_BYTES));
  }
}

/** What it keeps; null if nothing. */
export function loadKeptArchive(kv: SyncKvStorage): KeptArchive | null {
  const stored = kv.get<StoredArchive>(KEY);
  if (stored === undefined) return null;
  const { pieces, ...kept } = stored;
  const rest = new Uint8Array(pieces * PIECE_BYTES);
  let length = 0;
  for (let i = 0; i < pieces; i += 1) {
    const piece = kv.get<Uint8Array>(pieceKeyOf(i)) ?? new Uint8Array();
    rest.set(piece, length);
    length += piece.length;
  }
  return { ...kept, rest: rest.slice(0, length) };
}

/** Forgets what it keeps. */
export function clearKeptArchive(kv: SyncKvStorage): void {
  const keys = Array.from(kv.list({ prefix: KEY }), ([key]) => key);
  for (const key of keys) kv.delete(key);
}
