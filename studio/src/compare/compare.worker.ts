import { decodeMask } from "../viewer/masks/packed.ts";
import { type Differences, differencesOf, type NamedMask } from "./differences.ts";

// Compares masks, so that the page stays smooth meanwhile.

/** Masks by their names, of two searches. */
export interface CompareRequest {
  readonly ours: ReadonlyMap<string, Blob>;
  readonly theirs: ReadonlyMap<string, Blob>;
}

/** Null if a mask can't be read. */
export type CompareAnswer = Differences | null;

const decoded = async (masks: ReadonlyMap<string, Blob>): Promise<NamedMask[]> =>
  await Promise.all([...masks].map(async ([id, png]): Promise<NamedMask> => [id, await decodeMask(png)]));

const compare = async ({ ours, theirs }: CompareRequest): Promise<Differences> =>
  differencesOf(await decoded(ours), await decoded(theirs));

addEventListener("message", ({ data }: MessageEvent<CompareRequest>) => {
  void compare(data)
    .catch(() => null)
    .then((answer: CompareAnswer) => postMessage(answer));
});
