import { observeLines, sampleInfo } from "../../src/shared/log.ts";

/**
 * The state that test files share within a process or an isolate, by name. Each file must restore it: otherwise another file
 * passes or fails by their order.
 */
export type SharedWorld = ReadonlyMap<string, unknown>;

/** Without the console, which the runner replaces for each file. */
const HOLDERS: Readonly<Record<string, object>> = {
  globalThis,
  crypto,
  "crypto.subtle": crypto.subtle,
  Date,
  Math,
  performance,
};

/** Names of `globalThis`. Checks others only if they are new: reading some of them loads a module of Node. */
const REPLACED_BY_TESTS: ReadonlySet<string> = new Set([
  "Date",
  "fetch",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "queueMicrotask",
  "performance",
  "crypto",
  "Proxy",
  "WebSocket",
  "structuredClone",
]);

/** Vitest keeps its state under such names. */
const isOfTheRunner = (name: string): boolean => name.startsWith("__");

function namesOf(holder: object): Set<string> {
  const names = new Set<string>();
  let at: object | null = holder;
  while (at !== null && at !== Object.prototype && at !== Function.prototype) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
    at = Reflect.getPrototypeOf(at);
  }
  return names;
}

/** The lines' observer, which is the state of a module. */
function lineObserver(): unknown {
  const current = observeLines(() => {});
  observeLines(current);
  return current;
}

/** The log's sampling, which is also the state of a module. */
function sampling(): number {
  const current = sampleInfo(1);
  sampleInfo(current);
  return current;
}

/** Returns the current shared state; `more` has what this runtime adds. */
export function sharedWorld(more: Readonly<Record<string, unknown>> = {}): SharedWorld {
  const world = new Map<string, unknown>(Object.entries(more));
  world.set("the observer of the log", lineObserver());
  world.set("the sampling of the log", sampling());
  for (const [of, holder] of Object.entries(HOLDERS)) {
    for (const name of namesOf(holder)) {
      if (isOfTheRunner(name)) continue;
      const value: unknown =
        holder === globalThis && !REPLACED_BY_TESTS.has(name) ? null : Reflect.get(holder, name);
      world.set(`${of}.${name}`, typeof value === "function" ? value : typeof value);
    }
  }
  return world;
}

/** Returns the names of the differences. */
export function differences(before: SharedWorld, now: SharedWorld): string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => !Object.is(before.get(name), now.get(name)));
}
