import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { JobDefinition } from "../../../../src/jobs/rules/state.ts";
import { trialAt, trialRefusal } from "../../../../src/billing/rules/trial.ts";
import { type Platform } from "../../../../src/platform.ts";
import { closeBooks } from "../../../../src/billing/operations/close-books.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { Ledger } from "../../../../src/billing/store/ledger.ts";
import { newClient } from "../../../support/worker/client/api.ts";
import { closedEntries, openEntries } from "../../../support/worker/fixtures/closing.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { costOf } from "../../../support/worker/fixtures/ledger.ts";
import { amount } from "../../../support/worker/client/random.ts";

const OFFER = { version: "v1", tokens: 8, days: 10 };
const BEGIN = Date.parse("2026-01-01T00:00:00.000Z");
const DAY = 86_400_000;

/** An event of one account's jobs; some name a job again after its end. */
type Event =
  | { kind: "reserve"; job: number; units: number }
  | { kind: "settle" | "retire"; job: number; units: number }
  | { kind: "void"; job: number }
  | { kind: "pass"; days: number }
  | { kind: "close"; cut: Cut };

/** The steps at which a closing is cut off: before the step, or after it but before its result is known. */
const CUTS = [
  "nowhere",
  "before the object",
  "after the object",
  "in the transaction",
  "after the transaction",
] as const;
type Cut = (typeof CUTS)[number];

const job = fc.nat(9);
const units = fc.integer({ min: 0, max: 9 });
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("reserve" as const),
      job,
      units: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("settle" as const, "retire" as const), job, units }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("void" as const), job }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), days: fc.constantFrom(1, 5, 20) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("close" as const), cut: fc.constantFrom(...CUTS) }) },
);

/** Events, some of which come after most of the jobs have been closed. */
const anyHistory: fc.Arbitrary<Event[]> = fc
  .tuple(
    fc.array(anyEvent, { minLength: 10, maxLength: 25 }),
    fc.constantFrom(...CUTS),
    fc.array(anyEvent, { minLength: 5, maxLength: 15 }),
  )
  .map(([before, cut, after]) => [...before, { kind: "pass", days: 20 }, { kind: "close", cut }, ...after]);

/** A history with a closing, which few random histories may have. */
const CLOSED: Event[] = [
  { kind: "reserve", job: 0, units: 3 },
  { kind: "settle", job: 0, units: 2 },
  { kind: "pass", days: 20 },
  { kind: "close", cut: "nowhere" },
];

interface ModelJob {
  readonly reserved: number;
  readonly at: number;
  readonly isListed: boolean;
  readonly end: { readonly settled: number } | "void" | null;
}

/** A model of the ledger: the reservations of one account's jobs, and their ends. */
class Model {
  readonly jobs = new Map<number, ModelJob>();
  now = BEGIN;

  get use() {
    let usedTokens = 0;
    let startedAt: number | null = null;
    for (const { reserved, at, end } of this.jobs.values()) {
      if (end === "void") continue;
      usedTokens += end === null ? reserved : end.settled;
      startedAt = Math.min(startedAt ?? at, at);
    }
    return { usedTokens, startedAt };
  }

  reserve(id: number, tokens: number): boolean {
    const known = this.jobs.get(id);
    if (known !== undefined) return known.isListed;
    if (trialRefusal(trialAt(OFFER, this.use, this.now), tokens) !== null) return false;
    this.jobs.set(id, { reserved: tokens, at: this.now, isListed: true, end: null });
    return true;
  }

  /** Ends a job once; it may be removed from the list later. */
  end(id: number, settled: number | "void", isListed: boolean): void {
    const known = this.jobs.get(id);
    if (known === undefined) return;
    const end = settled === "void" ? settled : { settled: Math.min(settled, known.reserved) };
    this.jobs.set(id, { ...known, end: known.end ?? end, isListed: known.isListed && isListed });
  }
}

const definition = (accountId: string, id: number, createdAt: number): JobDefinition => ({
  jobId: `${accountId}_${id}`,
  accountId,
  type: "image",
  processingMode: "batch",
  lane: "trial",
  prompts: ["cat"],
  threshold: 0.5,
  maskThreshold: 0.5,
  generatePreview: false,
  taskIds: ["a.png"],
  createdAt,
});

describe("the ledger, for any fates of an account's jobs in any order", () => {
  // Each test's accounts are in a database that is chosen at its beginning.
  let jobs: Jobs;
  let ledger: Ledger;
  let platform: Platform;
  beforeEach(() => {
    jobs = new Jobs(home.DB);
    ledger = new Ledger(home.DB);
    platform = home.platform;
  });

  const lastClosed = async (accountId: string): Promise<string> =>
    (await platform.closings.last(accountId))?.sums.lastJobId ?? "";

  /** Closes the due books, and is cut off. */
  async function close(cut: Cut, now: number): Promise<void> {
    const { media, closings } = platform;
    const writeText = media.writeText.bind(media);
    const write = closings.write.bind(closings);
    const cutOff = () => {
      throw new Error("cut off");
    };
    vi.spyOn(media, "writeText").mockImplementation(async (...args) => {
      if (cut === "before the object") cutOff();
      await writeText(...args);
      if (cut === "after the object") cutOff();
    });
    vi.spyOn(closings, "write").mockImplementation(async (...args) => {
      const isWritten = await write(...args);
      if (cut === "after the transaction") cutOff();
      return isWritten;
    });
    const isBroken = cut === "in the transaction";
    if (isBroken)
      await home.DB.exec(
        "CREATE TRIGGER broken BEFORE DELETE ON ledger WHEN OLD.kind IN ('settle', 'void') BEGIN SELECT RAISE(ABORT, 'cut off'); END",
      );
    await closeBooks(platform, now).catch((error: unknown) => expect(String(error)).toContain("cut off"));
    if (isBroken) await home.DB.exec("DROP TRIGGER broken");
    vi.restoreAllMocks();
  }

  /** Applies the same event to the database and to the model, and compares the results. */
  async function perform(event: Event, model: Model, accountId: string): Promise<void> {
    if (event.kind === "pass") {
      model.now += event.days * DAY;
      return;
    }
    if (event.kind === "close") return close(event.cut, model.now);
    const jobId = `${accountId}_${event.job}`;
    switch (event.kind) {
      case "reserve": {
        const terms = {
          maxActiveJobs: 100,
          maxTrialBacklog: 1_000_000,
          maxUnitsPerDay: null,
          maxTasksPerDay: 1_000_000,
          maxMeteredUnits: null,
          files: 1,
          maxFilesPerDay: 1_000_000_000,
          units: event.units,
          fund: "trial",
          offer: OFFER,
        } as const;
        const { listed, use } = await jobs.insert(definition(accountId, event.job, model.now), terms);
        // Ids sort by time, so an unknown job is newer than all closed ones.
        const isTooOld = !model.jobs.has(event.job) && jobId <= (await lastClosed(accountId));
        expect(listed).toBe(!isTooOld && model.reserve(event.job, event.units));
        expect(use.trial).toEqual(model.use);
        return;
      }
      case "settle": {
        const end = { status: "success", error: null, updatedAt: model.now, version: 2 } as const;
        await jobs.project({ jobId, cost: costOf(event.units), ...end });
        model.end(event.job, event.units, true);
        return;
      }
      case "retire":
        await jobs.retire(jobId, costOf(event.units), model.now);
        model.end(event.job, event.units, false);
        return;
      case "void":
        await jobs.withdraw(jobId, model.now);
        model.end(event.job, "void", false);
    }
  }

  it("agrees with a model of it, and its sums hold, also through an interrupted closing [4.3-37]", async () => {
    let closed = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (events) => {
        const { accountId } = await newClient("trial");
        const model = new Model();
        for (const event of events) await perform(event, model, accountId);

        expect((await ledger.use(accountId)).trial).toEqual(model.use);
        expect(model.use.usedTokens).toBeLessThanOrEqual(OFFER.tokens);
        const entries = [...(await closedEntries(accountId)), ...(await openEntries(accountId))];
        const byJob = Map.groupBy(entries, ({ jobId }) => jobId);
        expect([...byJob.keys()].toSorted()).toEqual(
          [...model.jobs.keys()].map((id) => `${accountId}_${id}`).toSorted(),
        );
        for (const [id, { reserved, end }] of model.jobs) {
          const ended =
            end === "void"
              ? [["void", reserved]]
              : end && [
                  ["settle", end.settled],
                  ["release", reserved - end.settled],
                ];
          expect(byJob.get(`${accountId}_${id}`)?.map((entry) => [entry.kind, entry.units])).toEqual([
            ["reserve", reserved],
            ...(ended ?? []),
          ]);
        }
        closed += (await closedEntries(accountId)).length;
      }),
      { numRuns: amount({ short: 10, long: 1_000 }), seed: Number(env.SEED), examples: [[CLOSED]] },
    );
    expect(closed).toBeGreaterThan(0);
  });
});
