import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../../scripts/operate/verify/row.ts";
import { verifyService } from "../../../scripts/operate/verify/service.ts";
import { DELETED, named, SLOW_BREAKAGES } from "../../support/network/breakages.ts";
import { type SpawnedStack, spawnStack } from "../../support/stack/spawn-stack.ts";
import { SMALL, VerifiedStack } from "../../support/stack/verified-stack.ts";

describe("npm run verify", () => {
  let spawned: SpawnedStack;
  let stateDir: string;
  let stack: VerifiedStack;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "verified-stack-"));
    spawned = await spawnStack({ stateDir });
    stack = new VerifiedStack({ baseUrl: spawned.baseUrl, stateDir });
  });
  afterEach(() => stack.close());
  afterAll(async () => {
    await spawned.stop();
    await rm(stateDir, { recursive: true });
  });

  /** Runs the command on the stack of the folder. */
  const command = (...args: readonly string[]) =>
    spawn(process.execPath, ["scripts/operate/verify.ts", "--local", ...args], {
      env: { ...process.env, STATE_DIR: stateDir },
    });

  it("ends with 130 after Ctrl-C, with nothing left", async () => {
    const child = command("--only", "health", "--only", "a stream");
    let said = "";
    child.stderr.on("data", (data: Buffer) => {
      const isFirst = !said.includes("health: ok");
      said += String(data);
      if (isFirst && said.includes("health: ok")) child.kill("SIGINT");
    });
    const [code] = await once(child, "close");
    expect([code, said]).toEqual([130, expect.stringContaining(`${DELETED}: ok`)]);
  });

  it.each(named(SLOW_BREAKAGES))("names %s: %s", async (row, _how, { seen, broken }) => {
    const outcomes = await stack.verify(row, await broken(stack));
    const found = outcomes.find(({ name }) => name === row);
    expect(found).toMatchObject({ verdict: "wrong", saw: expect.stringMatching(seen) });
    expect(found?.mend?.length).toBeGreaterThan(20);
  });

  it("deletes everything it made when it is interrupted", async () => {
    const { accountId, secret } = await stack.account();
    const controller = new AbortController();
    const seen: string[] = [];
    const onRow = ({ name }: Outcome): void => {
      seen.push(name);
      if (name === "a job of many pictures") controller.abort(new Error("ended"));
    };
    const target = { baseUrl: stack.baseUrl, apiKey: secret, state: stack.state, form: SMALL, onRow };
    await expect(verifyService(target, controller.signal)).rejects.toThrow("ended");
    expect(seen.at(-1)).toBe(DELETED);
    expect(await stack.remains(accountId)).toEqual([0, 0, 0]);
  });

  // The last one, because it uses up the rate of the stack's account.
  it("ends with 0 on a local stack, and prints its rows as JSON", async () => {
    const child = command("--json");
    const [printed, said, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    const { ok, rows } = JSON.parse(printed);
    expect([code, ok, said]).toEqual([0, true, ""]);
    expect(rows.at(-1)).toMatchObject({ name: DELETED, verdict: "ok" });
  });
});
