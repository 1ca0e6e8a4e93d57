/** Runs as a device's thread receives them. */
import * as fc from "fast-check";
import type { Run } from "../../src/device/messages.ts";
import type { Dtype, Values } from "../../src/device/values.ts";

/** Bytes of one element. */
export const ELEMENT_BYTES: Readonly<Record<Dtype, number>> = {
  float32: 4,
  float16: 2,
  int64: 8,
  int32: 4,
  uint8: 1,
  bool: 1,
};

export const ELEMENT_TYPES: readonly Dtype[] = ["float32", "float16", "int64", "int32", "uint8", "bool"];

let lastId = 0;

/** A run of a graph with one input, the only one of its work, with `told` on top. */
export function runOf(told: Partial<Run> = {}): Run {
  lastId += 1;
  return {
    id: lastId,
    work: lastId,
    followed: false,
    graph: 1,
    feeds: { x: floatsOf([[0]]) },
    outputs: ["y"],
    hold: false,
    ...told,
  };
}

/** A float tensor of some rows of the same length. */
export function floatsOf(rows: readonly (readonly number[])[]): Values {
  const bytes = new Uint8Array(Float32Array.from(rows.flat()).buffer);
  return { type: "float32", dims: [rows.length, rows[0]?.length ?? 0], bytes };
}

/** The numbers of a float tensor. */
export function numbersOf({ bytes: { buffer, byteOffset, byteLength } }: Values): number[] {
  return [...new Float32Array(buffer, byteOffset, byteLength / 4)];
}

/** Any tensor of a type with this many rows of a shape. */
export function anyValues(type: Dtype, rows: number, rest: readonly number[]): fc.Arbitrary<Values> {
  const length = rest.reduce((product, size) => product * size, rows * ELEMENT_BYTES[type]);
  return fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => ({ type, dims: [rows, ...rest], bytes: new Uint8Array(bytes) }));
}
