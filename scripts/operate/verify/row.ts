import type { World } from "./world.ts";

/** One thing that differs between a laptop and the real platform, and how to see it. */
export interface Row {
  /** "signed PUT of another type": `--only` takes it, too. */
  readonly name: string;
  /** Returns what it saw. @throws Wrong, LeftOut; any other failure is wrong too */
  readonly run: (world: World) => Promise<string>;
  /** The remedy if it is wrong. */
  readonly mend: string;
}

/** A wrong assumption of the service. The message describes the observation. */
export class Wrong extends Error {
  override readonly name = "Wrong";
}

/** A row could not be tried. The message says why, and how it could be. */
export class LeftOut extends Error {
  override readonly name = "LeftOut";
}

/** The reason why a local stack calls no address of its machine. */
export const NO_LOCAL_URLS =
  "the stack sends no requests to its own machine: start it without ALLOW_LOCAL_URLS=false";

/** The outcome of a row. */
export interface Outcome {
  readonly name: string;
  readonly verdict: "ok" | "wrong" | "left out";
  readonly saw: string;
  /** The remedy; null unless it is wrong. */
  readonly mend: string | null;
}
