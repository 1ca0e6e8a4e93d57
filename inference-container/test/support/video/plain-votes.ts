import type { CellAppearance, KnownCells } from "../../../src/models/model.ts";

const VOTERS = 10;

/**
 * The computation of `Recall`'s graph, step by step: the ten nearest cells' shares, weighed by a softmax of cosines
 * over 0.07.
 */
export function plainVotes({ channels, appearance }: CellAppearance, known: KnownCells): Float32Array {
  // Drawn pictures have many cells that look the same.
  const alike = new Map<string, number>();
  return Float32Array.from({ length: appearance.length / channels }, (_, cell) => {
    const descriptor = appearance.subarray(cell * channels, (cell + 1) * channels);
    const key = descriptor.join();
    const vote = alike.get(key) ?? voteOf(descriptor, known);
    alike.set(key, vote);
    return vote;
  });
}

function voteOf(descriptor: Float32Array, known: KnownCells): number {
  const nearest: { cosine: number; share: number }[] = [];
  for (const [at, share] of known.inside.entries()) {
    let cosine = 0;
    for (let i = 0; i < descriptor.length; i += 1)
      cosine += (descriptor[i] ?? 0) * (known.appearance[at * descriptor.length + i] ?? 0);
    const last = nearest.at(-1);
    if (nearest.length === VOTERS && last !== undefined && cosine <= last.cosine) continue;
    const place = nearest.findIndex((other) => other.cosine < cosine);
    nearest.splice(place < 0 ? nearest.length : place, 0, { cosine, share });
    if (nearest.length > VOTERS) nearest.pop();
  }
  const weights = nearest.map(({ cosine }) => Math.exp((cosine - (nearest[0]?.cosine ?? 0)) / 0.07));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return nearest.reduce((sum, { share }, at) => sum + share * ((weights[at] ?? 0) / total), 0);
}
