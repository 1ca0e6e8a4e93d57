import { readFileSync } from "node:fs";
import { SegmentationClient } from "segmentation-client/node";
import { describe, expect, it, vi } from "vitest";
import { runDeploy } from "../../../../../scripts/operate/deploy/run.ts";
import { parseVerifyArguments, VERIFY_HELP } from "../../../../../scripts/operate/verify/command.ts";
import { Made } from "../../../../../scripts/operate/verify/made.ts";
import { databaseProblem } from "../../../../../scripts/operate/verify/operator-rows.ts";
import { verificationText, withProgress } from "../../../../../scripts/operate/verify/print.ts";
import type { Outcome } from "../../../../../scripts/operate/verify/row.ts";
import { ROWS, verifyRows } from "../../../../../scripts/operate/verify/run.ts";
import { LOCAL_FORM, REMOTE_FORM, type World } from "../../../../../scripts/operate/verify/world.ts";
import { present } from "../../../../support/at.ts";
import { aroundEachDeployment, prepare, fake, world } from "../../../../support/stack/deployment.ts";
import { completeAccount } from "../../../../support/stack/half-configured.ts";

const { signal } = new AbortController();
const URL = "https://segmentation.example.com";

const GOOD: Outcome = { name: "health", verdict: "ok", saw: "/healthz answers 200", mend: null };
const LEFT_OUT: Outcome = { name: "a webhook", verdict: "left out", saw: "name an address", mend: null };
const BAD: Outcome = {
  name: "a stream",
  verdict: "wrong",
  saw: "cut off after 2 s",
  mend: "raise the timeout",
};

/** The world of a row that uses only the database. */
const NO_SERVICE: World = {
  baseUrl: URL,
  apiKey: "",
  client: new SegmentationClient({ baseUrl: URL, apiKey: "sk_live_of_nobody" }),
  signal,
  form: REMOTE_FORM,
  named: {},
  local: null,
  database: { reason: "none" },
  operator: { reason: "none" },
  eventQueue: null,
  made: new Made(),
  learned: {},
};

describe("npm run verify", () => {
  describe("says how each row ended", () => {
    const written: string[] = [];
    const verifyOn = (isTTY: boolean, end: () => void): Promise<void> => {
      written.length = 0;
      const stream = { isTTY, columns: 25, write: (text: string) => written.push(text) };
      return withProgress(stream, async (onRow) => {
        for (const outcome of [GOOD, BAD]) onRow(outcome);
        end();
      });
    };
    const shown = ["\r\x1b[Khealth: ok", "\r\x1b[Ka stream: wrong: cut off"];

    it("on a terminal in one line, in place of which the table is printed", async () => {
      await verifyOn(true, () => {});
      expect(written).toEqual([...shown, "\r\x1b[K"]);
    });

    it("on a terminal in one line, which stays if no table follows", async () => {
      const interrupt = (): never => {
        throw new Error("Ctrl-C");
      };
      await expect(verifyOn(true, interrupt)).rejects.toThrow("Ctrl-C");
      expect(written).toEqual([...shown, "\n"]);
    });

    it("in a log in a line each", async () => {
      await verifyOn(false, () => {});
      expect(written).toEqual(["health: ok\n", "a stream: wrong: cut off after 2 s\n"]);
    });
  });

  it("says in its help and in the operator's guide which rows there are", () => {
    const page = readFileSync("docs/operations/deploy.md", "utf8");
    for (const { name } of ROWS) {
      expect(VERIFY_HELP).toContain(name);
      expect(page).toContain(`\n| ${name} |`);
    }
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
  });

  it.each([
    [[]],
    [["--local", "--url", URL]],
    [["--url", "segmentation.example.com"]],
    [["--local", "--webhook-url", "nowhere"]],
    [["--local", "--only", "weather"]],
    [["--quick"]],
  ])("refuses %j", (args) => {
    expect(() => parseVerifyArguments(args)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  it("costs at most 200 units in any form", () => {
    const made = new Made();
    made.spend(199);
    expect(() => made.spend(2)).toThrow("at most 200 units");
    for (const { pictures, cancelled } of [REMOTE_FORM, LOCAL_FORM])
      expect(pictures + cancelled + 2).toBeLessThanOrEqual(200);
  });

  it("judges the database by its size and its time", () => {
    expect(databaseProblem(6_900_000_000, 20)).toBeNull();
    expect(databaseProblem(7_100_000_000, 20)).toBe("it has 7.10 GB of the 10.00 GB that one database holds");
    expect(databaseProblem(1_000_000, 900)).toBe("a read of one row took 900 ms");
    expect(databaseProblem(1_000_000, null)).toBeNull();
  });

  it.each([
    ["batches of the database", { countsChanges: true, showsErrors: true }, 0, null],
    ["batches of the database", { countsChanges: false, showsErrors: true }, 0, /^DB: changes\(\)/],
    ["batches of the database", { countsChanges: true, showsErrors: false }, 0, /^DB: an error/],
    ["an alarm's delay", {}, 60_000, null],
    ["an alarm's delay", {}, 60_001, /^an alarm was 60.0 s late/],
  ])("judges the platform by what the operator's API says: %s", async (name, database, lateMs, problem) => {
    const row = present(
      ROWS.find((one) => one.name === name),
      "row",
    );
    const call = async (_: string, path: string): Promise<unknown> =>
      path === "/probe/alarm" ? { lateMs } : { databases: [{ name: "DB", ...database }] };
    const asked = row.run({ ...NO_SERVICE, operator: { call } });
    if (problem === null) expect(await asked).not.toBe("");
    else
      await expect(asked).rejects.toMatchObject({ name: "Wrong", message: expect.stringMatching(problem) });
    await expect(row.run(NO_SERVICE)).rejects.toMatchObject({ name: "LeftOut", message: "none" });
  });

  it.each([
    [{ worker: 1, service: 1, reason: null, pools: [] }, { saw: expect.stringContaining("version 1") }],
    [
      { worker: 2, service: 1, reason: "protocol_mismatch", pools: [] },
      { name: "Wrong", message: "the Worker speaks version 2, the inference service 1" },
    ],
    [{ worker: 2, service: null, reason: "status 503", pools: [] }, { name: "LeftOut" }],
  ])("compares the versions of the protocol: %j", async (versions, outcome) => {
    const row = present(
      ROWS.find(({ name }) => name === "protocol"),
      "row",
    );
    const asked = row.run({ ...NO_SERVICE, operator: { call: async () => versions } });
    expect(
      await asked.then(
        (saw) => ({ saw }),
        (error: unknown) => error,
      ),
    ).toMatchObject(outcome);
  });

  it("waits for a container that starts, and has a row for each pool", async () => {
    const rowOf = (name: string) =>
      present(
        ROWS.find((row) => row.name === name),
        "row",
      );
    let asked = 0;
    const container = () => ({
      name: "container",
      model: "builtin 1.3.0",
      away: (asked += 1) < 3 ? "the container starts" : null,
    });
    const call = async () => ({ worker: 1, service: 1, reason: null, pools: [container()] });
    const pooled = { ...NO_SERVICE, operator: { call } };
    expect(await rowOf("pool container").run(pooled)).toMatch(/^builtin 1\.3\.0/);
    expect(asked).toBe(3);
    await expect(rowOf("pool url").run(pooled)).rejects.toMatchObject({ name: "LeftOut" });
    asked = 0;
    const impatient = { ...pooled, form: { ...REMOTE_FORM, coldStartMs: -1 } };
    await expect(rowOf("pool container").run(impatient)).rejects.toMatchObject({
      name: "Wrong",
      message: "it takes no task: the container starts",
    });
  });

  it("names a full database in its row, and says why one cannot be asked", async () => {
    const row = present(
      ROWS.find(({ name }) => name === "database"),
      "row",
    );
    const measured = (...sizes: number[]) => ({
      run: async () => [],
      measure: async () => sizes.map((bytes, i) => ({ name: `DB_${i + 1}`, bytes, ms: 1 })),
    });
    const asked = (database: World["database"]) => row.run({ ...NO_SERVICE, database });
    expect(await asked(measured(1e9))).toBe("1.00 GB of 10.00 GB, 1.0 ms for a read");
    expect(await asked(measured(1e9, 2e9))).toBe(
      "DB_1: 1.00 GB of 10.00 GB, 1.0 ms for a read; DB_2: 2.00 GB of 10.00 GB, 1.0 ms for a read",
    );
    await expect(asked(measured(8e9))).rejects.toMatchObject({ name: "Wrong" });
    await expect(asked(measured(1e9, 8e9))).rejects.toMatchObject({
      name: "Wrong",
      message: expect.stringMatching(/^DB_2: it has 8.00 GB/),
    });
    await expect(asked({ reason: "nobody is logged in" })).rejects.toMatchObject({
      name: "LeftOut",
      message: "nobody is logged in",
    });
  });

  it("tries nothing else if no service answers", async () => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("fetch failed"));
    const outcomes = await verifyRows(
      NO_SERVICE,
      new Set(["health", "key", "a job of one picture", "rate limit"]),
      () => {},
    );
    vi.restoreAllMocks();
    expect(outcomes.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["health", "wrong"],
      ["key", "left out"],
      ["a job of one picture", "left out"],
      ["rate limit", "left out"],
      ["what it made is deleted", "ok"],
    ]);
  });

  it("prints a line per row, and what to do under each that is wrong", () => {
    expect(verificationText([GOOD, LEFT_OUT, BAD]).trim().split("\n")).toEqual([
      "✓ health     /healthz answers 200",
      "– a webhook  left out: name an address",
      "✗ a stream   cut off after 2 s",
      "             → raise the timeout",
      "",
      "1 of 3 rows is wrong; 1 could not be tried.",
    ]);
    const another = { ...LEFT_OUT, name: "a zip" };
    expect(verificationText([LEFT_OUT, another, GOOD])).toContain(
      "– 2 rows  left out: name an address\n✓ health",
    );
    expect(verificationText([GOOD])).toContain("Everything that was tried is as the service assumes: 1 row.");
  });
});

describe("npm run deploy", () => {
  aroundEachDeployment();

  async function deployWith(args: readonly string[], answer: string | null, outcomes: readonly Outcome[]) {
    const { config } = await prepare({});
    const verify = vi.fn(async () => outcomes);
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return answer ?? "";
    };
    const exitCode = await runDeploy(["--config", config, ...args], signal, {
      healthPatienceMs: 0,
      wrangler: fake(await completeAccount()).wrangler,
      operator: { ask: answer === null ? null : ask },
      verify,
    });
    return { exitCode, verify, questions };
  }

  it("names the next two commands without a terminal", async () => {
    const { exitCode, verify } = await deployWith([], null, []);
    expect(world.printed).toContain(
      "npm run admin -- create-account --email you@example.com --plan paid --remote",
    );
    expect(world.printed).toContain(`SEGMENTATION_API_KEY=sk_live_… npm run verify -- --url ${URL}`);
    expect(exitCode).toBe(0);
    expect(verify).not.toHaveBeenCalled();
  });

  it.each([
    ["y", 1],
    ["", 0],
  ])("offers to verify with the key in the environment: %j", async (answer, times) => {
    vi.stubEnv("SEGMENTATION_API_KEY", "sk_live_1");
    const { verify, questions, exitCode } = await deployWith([], answer, [GOOD, BAD]);
    expect(questions).toEqual([
      "Verify the service with SEGMENTATION_API_KEY now, for at most 200 units? [y/N]",
    ]);
    expect(verify).toHaveBeenCalledTimes(times);
    expect(exitCode).toBe(times);
    expect(world.printed.includes("→ raise the timeout")).toBe(times === 1);
  });

  it("verifies without asking if given --verify, which needs a key", async () => {
    vi.stubEnv("SEGMENTATION_API_KEY", "sk_live_1");
    const { verify, exitCode } = await deployWith(["--verify"], null, [GOOD]);
    expect(exitCode).toBe(0);
    expect(verify).toHaveBeenCalledWith(
      expect.objectContaining({ baseUrl: URL, apiKey: "sk_live_1", state: null }),
      signal,
    );
    vi.stubEnv("SEGMENTATION_API_KEY", undefined);
    await expect(deployWith(["--verify"], null, [])).rejects.toMatchObject({ exitCode: 2 });
  });
});
