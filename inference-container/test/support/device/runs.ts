/** Runs as a device's thread receives them. */
import type { Run } from "../../../src/device/messages.ts";
import type { Values } from "../../../src/device/values.ts";

let lastId = 0;

/** A run of a graph with one input, the only one of its work, with `changes` on top. */
export function runOf(changes: Partial<Run> = {}): Run {
  lastId += 1;
  return {
    id: lastId,
    work: lastId,
    followed: false,
    graph: 1,
    feeds: { x: floatsOf([[0]]) },
    outputs: ["y"],
    hold: false,
    ...changes,
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
