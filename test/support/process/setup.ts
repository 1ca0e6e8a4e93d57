import { configureGlobal } from "fast-check";
import { afterAll, expect } from "vitest";
import { differences, sharedWorld } from "../shared-world.ts";

const prefixed = (of: string, entries: readonly (readonly [string | symbol, unknown])[]) =>
  Object.fromEntries(entries.map(([name, value]) => [`${of}.${String(name)}`, value]));

/** The shared state of a process: its variables, its folder, its signal listeners. */
const processWorld = () =>
  sharedWorld({
    ...prefixed("process.env", Object.entries(process.env)),
    ...prefixed(
      "listeners of process",
      process.eventNames().map((name) => [name, process.listenerCount(name)] as const),
    ),
    "process.cwd()": process.cwd(),
    "process.exitCode": process.exitCode,
  });

// vitest.config.ts chooses and prints the run's seed; SEED=… repeats a run.
configureGlobal({ seed: Number(process.env["SEED"]) });

/** The state that the previous file left. */
const world = processWorld();

afterAll(() => {
  expect(differences(world, processWorld()), "what this file leaves changed").toEqual([]);
});
