/** Joins runs of one graph along their first axis, and parts what came of it. */
import type { Declared, Run, Signature } from "./messages.ts";
import type { Values } from "./values.ts";

/** Whether a graph can take several runs at once: the first dimension of all that it takes and gives is open. */
export function canJoin({ inputs, outputs }: Signature): boolean {
  return inputs.length > 0 && [...inputs, ...outputs].every(isOpen);
}

function isOpen({ shape }: Declared): boolean {
  return typeof shape[0] === "string";
}

/** How many rows of a batch a run takes; undefined where it can't be joined, as with tensors that the device holds. */
export function rowsOf({ feeds }: Run): number | undefined {
  const sizes = Object.values(feeds).map((feed) => ("dims" in feed ? feed.dims[0] : undefined));
  return sizes.every((size) => size === sizes[0]) ? sizes[0] : undefined;
}

/** Whether two runs can be one: of the same graph, with the same types and the same sizes but for the first. */
export function joinable(a: Run, b: Run): boolean {
  const names = Object.keys(a.feeds);
  return (
    a.graph === b.graph &&
    a.hold === b.hold &&
    a.outputs.join() === b.outputs.join() &&
    rowsOf(a) !== undefined &&
    rowsOf(b) !== undefined &&
    names.length === Object.keys(b.feeds).length &&
    names.every((name) => {
      const [one, other] = [a.feeds[name], b.feeds[name]];
      if (one === undefined || other === undefined || !("dims" in one) || !("dims" in other)) return false;
      return one.type === other.type && one.dims.slice(1).join() === other.dims.slice(1).join();
    })
  );
}

/** The feeds of joinable runs as those of one run: rows in the runs' order. */
export function joinFeeds(runs: readonly Run[]): Record<string, Values> {
  const [first] = runs;
  return Object.fromEntries(
    Object.keys(first?.feeds ?? {}).map((name) => {
      const parts = runs.flatMap(({ feeds: { [name]: part } }) =>
        part !== undefined && "dims" in part ? [part] : [],
      );
      return [name, stacked(parts)] as const;
    }),
  );
}

function stacked(parts: readonly Values[]): Values {
  const [first] = parts;
  if (first === undefined) throw new Error("A graph's run lacks a tensor that it grows by.");
  const rows = parts.reduce((sum, { dims }) => sum + (dims[0] ?? 1), 0);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part.bytes, at);
    at += part.bytes.length;
  }
  return { type: first.type, dims: [rows, ...first.dims.slice(1)], bytes };
}

/** @throws Error naming a result that has not a row for each of the batch's: who would get which, nobody could tell */
export function checkRows(results: Readonly<Record<string, Values>>, rows: number): void {
  for (const [name, { dims }] of Object.entries(results))
    if (dims[0] !== rows)
      throw new Error(
        `The result "${name}" is [${dims.join(", ")}] for a batch of ${rows}: the graph's runs can't be joined, so its maxBatch in the manifest must be 1.`,
      );
}

/** Some rows of a batch's result: those from one on, so many. */
export function takeRows(
  { type, dims: [rows = 1, ...rest], bytes }: Values,
  from: number,
  count: number,
): Values {
  const row = bytes.length / rows;
  return { type, dims: [count, ...rest], bytes: bytes.slice(from * row, (from + count) * row) };
}
