import { writeBits } from "./bits.ts";
import { type BlockCode, bitsOf, dynamicCode, FIXED_CODE, type SymbolCounts } from "./block-code.ts";
import type { PrefixCode } from "./huffman.ts";
import { distanceSymbol, type Extended, lengthSymbol } from "./matches.ts";
import type { Scanlines } from "./scanlines.ts";
import { COPY, REPEAT, ROW, SHORTEST, TOKEN_KINDS } from "./tokens.ts";

/** Deflate with a window of 32 kB, the fastest algorithm and no dictionary (RFC 1950, 2.2). */
const ZLIB_HEADER = 0x7801;
const CHECKSUM_BYTES = 4;

/**
 * A zlib stream (RFC 1950) of one block (RFC 1951), with a Huffman code of its own or the fixed one, whichever is
 * shorter.
 */
export function deflate({ tokens, length, adler }: Scanlines): Buffer {
  const counts = countTokens(tokens);
  const symbols = countSymbols(counts, length);
  const own = dynamicCode(symbols);
  const ownBits = bitsOf(own, symbols);
  const fixedBits = bitsOf(FIXED_CODE, symbols);
  const code = ownBits < fixedBits ? own : FIXED_CODE;
  const block = Math.ceil(Math.min(ownBits, fixedBits) / 8);
  const stream = Buffer.allocUnsafe(2 + block + CHECKSUM_BYTES);
  const { bits, sizes } = writtenTokens(code, counts, length);
  writeBits(stream.subarray(2), code.header, tokens, bits, sizes);
  stream.writeUInt16BE(ZLIB_HEADER, 0);
  stream.writeUInt32BE(adler, 2 + block);
  return stream;
}

function countTokens(tokens: Uint16Array): Uint32Array {
  const counts = new Uint32Array(TOKEN_KINDS);
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? 0;
    counts[token] = (counts[token] ?? 0) + 1;
  }
  return counts;
}

/** The symbols of a token, with their extra bits. */
interface TokenSymbols {
  readonly literal?: Extended;
  readonly distance?: Extended;
}

function symbolsOf(token: number, length: number): TokenSymbols {
  if (token === ROW) return { distance: distanceSymbol(length) };
  if (token >= COPY + SHORTEST) return { literal: lengthSymbol(token - COPY) };
  if (token < REPEAT + SHORTEST) return { literal: { symbol: token, extra: 0, extraBits: 0 } };
  return { literal: lengthSymbol(token - REPEAT), distance: distanceSymbol(1) };
}

function countSymbols(counts: Uint32Array, length: number): SymbolCounts {
  const symbols = { literals: new Uint32Array(286), distances: new Uint32Array(30), extraBits: 0 };
  const { literals, distances } = symbols;
  for (let token = 0; token < TOKEN_KINDS; token++) {
    const count = counts[token] ?? 0;
    if (count === 0) continue;
    const { literal, distance } = symbolsOf(token, length);
    if (literal !== undefined) literals[literal.symbol] = (literals[literal.symbol] ?? 0) + count;
    if (distance !== undefined) distances[distance.symbol] = (distances[distance.symbol] ?? 0) + count;
    symbols.extraBits += count * ((literal?.extraBits ?? 0) + (distance?.extraBits ?? 0));
  }
  return symbols;
}

/** The bits of each token that occurs, at most 21 per token. */
interface WrittenTokens {
  readonly bits: Uint32Array;
  readonly sizes: Uint8Array;
}

function writtenTokens(
  { literals, distances }: BlockCode,
  counts: Uint32Array,
  length: number,
): WrittenTokens {
  const written = { bits: new Uint32Array(TOKEN_KINDS), sizes: new Uint8Array(TOKEN_KINDS) };
  for (let token = 0; token < TOKEN_KINDS; token++) {
    if (counts[token] === 0) continue;
    const { literal, distance } = symbolsOf(token, length);
    if (literal !== undefined) append(written, token, literals, literal);
    if (distance !== undefined) append(written, token, distances, distance);
  }
  return written;
}

function append(
  { bits, sizes }: WrittenTokens,
  token: number,
  { codes, sizes: codeSizes }: PrefixCode,
  { symbol, extra, extraBits }: Extended,
): void {
  const size = sizes[token] ?? 0;
  const codeSize = codeSizes[symbol] ?? 0;
  bits[token] = (bits[token] ?? 0) | ((codes[symbol] ?? 0) << size) | (extra << (size + codeSize));
  sizes[token] = size + codeSize + extraBits;
}
