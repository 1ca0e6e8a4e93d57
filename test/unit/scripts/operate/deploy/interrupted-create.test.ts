import { describe, expect, it, vi } from "vitest";
import { isLong } from "../../../../../inference-container/test/support/form.ts";
import { aroundEachDeployment, type Situation, world } from "../../../../support/stack/deployment.ts";
import { emptyAccount } from "../../../../support/stack/half-configured.ts";
import type { FakeAccount } from "../../../../support/stack/wrangler/account.ts";
import { CHANGES, KEYS, AS_CLONED, create, cloneWith } from "../../../../support/stack/created-deployment.ts";

aroundEachDeployment();

/** A hundred runs after one another, on a busy machine. */
const MANY_RUNS_MS = 240_000;

/** An account without the parts that differ each time: the values of generated secrets. */
const shapeOf = ({ stored, ...account }: FakeAccount) => ({
  ...account,
  queues: account.queues.toSorted(),
  secrets: account.secrets?.toSorted(),
  stored: Object.keys(stored).toSorted(),
  buckets: Object.fromEntries(
    Object.entries(account.buckets).map(([name, { lifecycle, ...bucket }]) => [
      name,
      { ...bucket, lifecycle: lifecycle.toSorted((a, b) => a.prefix.localeCompare(b.prefix)) },
    ]),
  ),
});

describe("npm run deploy -- --create", () => {
  const stubKeys = () => {
    for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value);
  };
  const withUploads: Situation = { skipped: AS_CLONED };

  it(
    "finishes a run after any step that Cloudflare refused or did not answer",
    async () => {
      stubKeys();
      const whole = await cloneWith(emptyAccount(), withUploads);
      expect(await whole.run(create)).toBe(0);
      const commands = new Set(whole.calls.filter((words) => CHANGES.test(words)));
      expect(commands.size).toBeGreaterThan(10);
      for (const fault of ["broken", "lost"] as const) {
        for (const command of commands) {
          const clone = await cloneWith(emptyAccount(), withUploads);
          clone.account[fault] = [command];
          const first = await clone.run(create);
          expect(world.printed, command).toMatch(/^✗ .*(?:Authentication error|timed out)/m);
          // A page without CORS is for the operator to decide; the next run finds Cloudflare's completed effects.
          const goesOn = fault === "lost" || command.includes("cors");
          if (!goesOn) expect([command, first, clone.account.deployed]).toEqual([command, 1, false]);
          const stored = { ...clone.account.stored };
          clone.account[fault] = [];
          expect(await clone.run(create), `${command}: ${world.printed}`).toBe(0);
          expect(shapeOf(clone.account), command).toEqual(shapeOf(whole.account));
          expect(clone.account.stored).toMatchObject(stored);
          expect(await clone.env()).toContain(`\nMASTER_SECRET=${clone.account.stored["MASTER_SECRET"]}\n`);
        }
      }
    },
    MANY_RUNS_MS,
  );

  it(
    "finishes a run that was interrupted before any of its changes",
    async () => {
      stubKeys();
      const whole = await cloneWith(emptyAccount(), withUploads);
      expect(await whole.run(create)).toBe(0);
      const ends = whole.calls.flatMap((words, call) => (isLong || CHANGES.test(words) ? [call] : []));
      expect(ends.length).toBeGreaterThan(10);
      for (const end of ends) {
        const clone = await cloneWith(emptyAccount(), withUploads);
        const controller = new AbortController();
        let count = 0;
        const onCall = () => {
          if (count === end) controller.abort(new Error("ended"));
          count += 1;
        };
        await expect(clone.run(create, { signal: controller.signal, onCall })).rejects.toThrow("ended");
        const isMade = (await clone.env())?.includes("MASTER_SECRET=") === true;
        const last = world.printed.trimEnd().split("\n").at(-1);
        expect(last?.startsWith("Keep wrangler.operator.env")).toBe(isMade);
        const stored = { ...clone.account.stored };
        expect(await clone.run(create), `${end}: ${world.printed}`).toBe(0);
        expect(shapeOf(clone.account), String(end)).toEqual(shapeOf(whole.account));
        expect(clone.account.stored).toMatchObject(stored);
      }
    },
    MANY_RUNS_MS,
  );
});
