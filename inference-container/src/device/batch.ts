/** Joins runs of one graph along their first axis, and parts what came of it. */
import type { Declared, Feeds, HeldTensor, Run, Signature } from "./messages.ts";
import type { Values } from "./values.ts";

/** The inputs that grow with a batch; undefined where a graph can't take several runs at once. */
export function growingInputs({ inputs, outputs }: Signature): ReadonlySet<string> | undefined {
  const growing = inputs.filter(isOpen).map(({ name }) => name);
  return growing.length > 0 && outputs.every(isOpen) ? new Set(growing) : undefined;
}

function isOpen({ shape }: Declared): boolean {
  return typeof shape[0] === "string";
}

/** How many rows of a batch a run takes. */
export function rowsOf({ feeds }: Run, growing: ReadonlySet<string>): number {
  const sizes = Object.entries(feeds).flatMap(([name, feed]) =>
    growing.has(name) && "dims" in feed ? [feed.dims[0] ?? 1] : [],
  );
  return sizes.length === 0 ? 1 : Math.max(...sizes);
}

/**
 * Whether two runs can be one: what grows has the same type and the same sizes but for the first, and all else is the same
 * held tensor (as the features of one picture are with several prompts).
 */
export function joinable(a: Run, b: Run, growing: ReadonlySet<string>): boolean {
  const names = Object.keys(a.feeds);
  return (
    a.graph === b.graph &&
    a.hold === b.hold &&
    a.outputs.join() === b.outputs.join() &&
    names.length === Object.keys(b.feeds).length &&
    names.every((name) => {
      const [one, other] = [a.feeds[name], b.feeds[name]];
      if (one === undefined || other === undefined) return false;
      return growing.has(name) ? stackable(one, other) : sameHeld(one, other);
    })
  );
}

function stackable(a: Values | HeldTensor, b: Values | HeldTensor): boolean {
  if (!("dims" in a) || !("dims" in b)) return false;
  return a.type === b.type && a.dims.slice(1).join() === b.dims.slice(1).join();
}

function sameHeld(a: Values | HeldTensor, b: Values | HeldTensor): boolean {
  return "held" in a && "held" in b && a.held === b.held;
}

/** The feeds of joinable runs as those of one run: rows in the runs' order. */
export function joinFeeds(runs: readonly Run[], growing: ReadonlySet<string>): Feeds {
  const [first] = runs;
  return Object.fromEntries(
    Object.entries(first?.feeds ?? {}).map(([name, feed]) => {
      const parts = runs.flatMap(({ feeds: { [name]: part } }) =>
        part !== undefined && "dims" in part ? [part] : [],
      );
      return [name, growing.has(name) ? stacked(parts) : feed] as const;
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
