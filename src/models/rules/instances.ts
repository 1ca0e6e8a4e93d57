/** A 32-bit FNV-1a hash. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  // The last characters alone would only change the lower bits, by which nothing is ordered.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  return (hash ^ (hash >>> 13)) >>> 0;
}

/**
 * Returns instances in an upload's order of preference. The first one is the same at each offer, so it still has the upload's
 * features; an instance that comes or goes changes the first one of its share of the uploads only.
 */
export const inOrderFor = <Instance extends { readonly name: string }>(
  uploadId: string,
  instances: readonly Instance[],
): Instance[] =>
  instances
    .map((instance) => ({ instance, score: hashOf(`${uploadId} ${instance.name}`) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ instance }) => instance);
