/** Joins runs of one graph along the first axis into a batch, and splits the batch's results. */
import type { Declared, Run, Signature } from "./messages.ts";
import type { Values } from "./values.ts";

/** Whether a graph can take several runs at once: the first dimension of all its inputs and outputs is dynamic. */
export function canJoin({ inputs, outputs }: Signature): boolean {
  return inputs.length > 0 && [...inputs, ...outputs].every(isOpen);
}

function isOpen({ shape }: Declared): boolean {
  return typeof shape[0] === "string";
}

/** How many rows a run adds to a batch; undefined if it can't be joined, e.g. because the device holds its tensors. */
export function rowsOf({ feeds }: Run): number | undefined {
  const sizes = Object.values(feeds).map((feed) => ("dims" in feed ? feed.dims[0] : undefined));
  return sizes.every((size) => size === sizes[0]) ? sizes[0] : undefined;
}

/** Whether two runs can be joined: same graph, same outputs, and feeds of the same types and sizes, except the first. */
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

/** The feeds of joinable runs as the feeds of one run, with the rows in the runs' order. */
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
  if (first === undefined) throw new Error("A batch has no rows for one of its graph's inputs.");
  const rows = parts.reduce((sum, { dims }) => sum + (dims[0] ?? 1), 0);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part.bytes, at);
    at += part.bytes.length;
  }
  return { type: first.type, dims: [rows, ...first.dims.slice(1)], bytes };
}

/** Checks that results can be split among a batch's runs. @throws Error naming one that has not one row per row of the batch */
export function checkRows(results: Readonly<Record<string, Values>>, rows: number): void {
  for (const [name, { dims }] of Object.entries(results))
    if (dims[0] !== rows)
      throw new Error(
        `The result "${name}" has the shape [${dims.join(", ")}] for a batch of ${rows}: runs of this graph can't be joined. Set its maxBatch in the manifest to 1.`,
      );
}

/** A copy of `count` rows of a batch's result, beginning at row `from`. */
export function takeRows(
  { type, dims: [rows = 1, ...rest], bytes }: Values,
  from: number,
  count: number,
): Values {
  const row = bytes.length / rows;
  return { type, dims: [count, ...rest], bytes: bytes.slice(from * row, (from + count) * row) };
}
