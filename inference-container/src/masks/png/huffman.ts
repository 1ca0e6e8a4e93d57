/** A prefix code: for each symbol the size of its code in bits (0 if it has none) and the code, its first bit lowest. */
export interface PrefixCode {
  readonly sizes: Uint8Array;
  readonly codes: Uint16Array;
}

/**
 * The canonical code of these sizes, as a deflate stream uses it (RFC 1951, 3.2.2): codes of one size ascend with their
 * symbols. Each is stored with its first bit lowest.
 */
export function canonicalCode(sizes: Uint8Array): PrefixCode {
  const counts = new Uint16Array(16);
  for (let i = 0; i < sizes.length; i++) counts[sizes[i] ?? 0] = (counts[sizes[i] ?? 0] ?? 0) + 1;
  counts[0] = 0;
  const next = new Uint16Array(16);
  for (let size = 2; size < 16; size++) next[size] = ((next[size - 1] ?? 0) + (counts[size - 1] ?? 0)) << 1;
  const codes = new Uint16Array(sizes.length);
  for (let symbol = 0; symbol < sizes.length; symbol++) {
    const size = sizes[symbol] ?? 0;
    if (size === 0) continue;
    const code = next[size] ?? 0;
    codes[symbol] = reversed(code, size);
    next[size] = code + 1;
  }
  return { sizes, codes };
}

function reversed(code: number, size: number): number {
  let result = 0;
  for (let bit = 0; bit < size; bit++) result = (result << 1) | ((code >> bit) & 1);
  return result;
}

/**
 * The code sizes in bits of a Huffman code (D. A. Huffman, "A method for the construction of minimum-redundancy codes",
 * 1952) for symbols that occur `counts` times. To keep every size within `longest`, rare symbols count as less rare. A
 * single symbol takes one bit.
 */
export function huffmanSizes(counts: Uint32Array, longest: number): Uint8Array {
  for (let shift = 0; ; shift++) {
    const sizes = unlimitedSizes(counts, shift);
    if (sizes.every((size) => size <= longest)) return sizes;
  }
}

/** The leaves' counts ascend, and so do the sums of two: the least is always at the head of one of these two queues. */
function unlimitedSizes(counts: Uint32Array, shift: number): Uint8Array {
  const sizes = new Uint8Array(counts.length);
  const keys = new Float64Array(counts.length);
  let leaves = 0;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    const count = counts[symbol] ?? 0;
    if (count > 0) keys[leaves++] = Math.ceil(count / 2 ** shift) * counts.length + symbol;
  }
  const sorted = keys.subarray(0, leaves).toSorted();
  const weights = new Float64Array(2 * leaves);
  for (let i = 0; i < leaves; i++) weights[i] = Math.floor((sorted[i] ?? 0) / counts.length);
  const parents = new Uint16Array(2 * leaves);
  let leaf = 0;
  let sum = leaves;
  for (let made = leaves; made < 2 * leaves - 1; made++) {
    for (let child = 0; child < 2; child++) {
      const takesLeaf = leaf < leaves && (sum >= made || (weights[leaf] ?? 0) <= (weights[sum] ?? 0));
      const least = takesLeaf ? leaf++ : sum++;
      weights[made] = (weights[made] ?? 0) + (weights[least] ?? 0);
      parents[least] = made;
    }
  }
  const depths = new Uint8Array(2 * leaves);
  if (leaves === 1) depths[0] = 1;
  for (let node = 2 * leaves - 3; node >= 0; node--) depths[node] = (depths[parents[node] ?? 0] ?? 0) + 1;
  for (let i = 0; i < leaves; i++) sizes[(sorted[i] ?? 0) % counts.length] = depths[i] ?? 0;
  return sizes;
}
