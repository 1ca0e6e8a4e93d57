/** A length or a distance in a deflate stream: a symbol and its extra bits. */
export interface Extended {
  readonly symbol: number;
  readonly extra: number;
  readonly extraBits: number;
}

/** The symbol of a match of 3 to 258 bytes (RFC 1951, 3.2.5): four symbols per doubling, and one of its own for 258. */
export function lengthSymbol(length: number): Extended {
  if (length === 258) return { symbol: 285, extra: 0, extraBits: 0 };
  const steps = length - 3;
  const extraBits = Math.max(0, 29 - Math.clz32(steps));
  return {
    symbol: 257 + 4 * extraBits + (steps >> extraBits),
    extra: steps & ((1 << extraBits) - 1),
    extraBits,
  };
}

/** The symbol of a distance of 1 to 32,768 bytes (RFC 1951, 3.2.5): two symbols per doubling. */
export function distanceSymbol(distance: number): Extended {
  const steps = distance - 1;
  const extraBits = Math.max(0, 30 - Math.clz32(steps));
  return { symbol: 2 * extraBits + (steps >> extraBits), extra: steps & ((1 << extraBits) - 1), extraBits };
}
