import { globSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { observeLines, sampleInfo } from "../../../src/shared/log.ts";
import { differences, sharedWorld } from "../../support/shared-world.ts";

describe("the changes that a test file leaves behind", () => {
  it("is nothing if it changed nothing", () => {
    expect(differences(sharedWorld({ setting: 1 }), sharedWorld({ setting: 1 }))).toEqual([]);
  });

  it.each<readonly [string, () => () => void]>([
    ["globalThis.Date", () => (vi.useFakeTimers({ toFake: ["Date"] }), () => void vi.useRealTimers())],
    ["globalThis.setTimeout", () => (vi.useFakeTimers(), () => void vi.useRealTimers())],
    [
      "globalThis.fetch",
      () => {
        const { fetch } = globalThis;
        globalThis.fetch = async () => new Response();
        return () => void (globalThis.fetch = fetch);
      },
    ],
    [
      "Math.random",
      () => {
        const spy = vi.spyOn(Math, "random");
        return () => spy.mockRestore();
      },
    ],
    [
      "globalThis.left",
      () => (
        Reflect.defineProperty(globalThis, "left", { value: 1, configurable: true }),
        () => void Reflect.deleteProperty(globalThis, "left")
      ),
    ],
    [
      "the observer of the log",
      () => {
        const previous = observeLines(() => {});
        return () => void observeLines(previous);
      },
    ],
    [
      "the sampling of the log",
      () => {
        const previous = sampleInfo(7);
        return () => void sampleInfo(previous);
      },
    ],
  ])("is named: %s", (name, change) => {
    const before = sharedWorld();
    onTestFinished(change());
    expect(differences(before, sharedWorld())).toContain(name);
  });

  it("is named if the runtime has more", () => {
    expect(differences(sharedWorld({ "env.A": "1", "env.B": "2" }), sharedWorld({ "env.A": "3" }))).toEqual([
      "env.A",
      "env.B",
    ]);
  });
});

/** State to fill or set again: a variable, or a collection that begins empty. */
const STATE =
  /^(?:export )?(?:let (\w+)|const (\w+)(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|\[\]|\{\});)/gm;

describe("a module of the Worker", () => {
  it("has no other state: state that outlives a request belongs to the platform", () => {
    const state = globSync("src/**/*.ts").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(STATE)].map(
        ([, variable, collection]) => `${file} ${variable ?? collection}`,
      ),
    );
    expect(state.toSorted()).toEqual([
      // A constant string, made at its first use.
      "src/http/routes/pages.ts document",
      // The platforms.
      "src/platform.ts platforms",
      // Set as the Worker starts, and with its platform.
      "src/shared/log.ts infoOneIn",
      "src/shared/log.ts observer",
    ]);
  });
});
