import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addToClosed,
  ClosedSums,
  closingTimes,
  NOTHING_CLOSED,
  partToClose,
  closedObject,
  closedObjectKey,
  readClosedObject,
  type Entry,
} from "../../../src/billing/rules/closing.ts";

const DAY = 86_400_000;
const at = (text: string): number => Date.parse(text);
const END = at("2026-11-10T12:00:00.000Z");
const BEFORE = END + DAY;

let ids = 0;
const job = (
  jobId: string,
  entries: readonly [kind: Entry["kind"], units: number][],
  changes: Partial<Entry> = {},
): Entry[] =>
  entries.map(([kind, units]) => {
    ids += 1;
    return { id: ids, jobId, kind, fund: "trial", units, at: END, meterEvent: null, ...changes };
  });
const settled = (jobId: string, units: number, changes: Partial<Entry> = {}): Entry[] =>
  job(
    jobId,
    [
      ["reserve", units + 1],
      ["settle", units],
      ["release", 1],
    ],
    changes,
  );
const voided = (jobId: string, units: number, changes: Partial<Entry> = {}): Entry[] =>
  job(
    jobId,
    [
      ["reserve", units],
      ["void", units],
    ],
    changes,
  );

describe("the times of a closing", () => {
  it.each([
    ["2026-11-20T00:00:00.000Z", 14, "2026-11-07T00:00:00.000Z", "2026-11-13T00:00:00.000Z"],
    ["2026-11-20T23:59:59.999Z", 14, "2026-11-07T00:00:00.000Z", "2026-11-13T00:00:00.000Z"],
    ["2026-11-20T12:00:00.000Z", 5, "2026-11-16T00:00:00.000Z", "2026-11-17T00:00:00.000Z"],
    ["2026-11-20T12:00:00.000Z", 4, "2026-11-17T00:00:00.000Z", "2026-11-18T00:00:00.000Z"],
  ])("at %s with %i days are %s and %s", (now, days, due, closed) => {
    expect(closingTimes(at(now), days)).toEqual({ dueBefore: at(due), closedBefore: at(closed) });
  });
});

describe("the part that is closed next", () => {
  it("is not due without an ended job, or if the first ended too late", () => {
    expect(partToClose([], BEFORE)).toBeNull();
    expect(partToClose(job("a", [["reserve", 1]]), BEFORE)).toBeNull();
    expect(partToClose(settled("a", 1), END)).toBeNull();
  });

  it("has the oldest jobs up to the first that ended too late, and the last one's end", () => {
    const first = settled("a", 1);
    const second = voided("b", 2);
    const late = settled("c", 1, { at: BEFORE });
    const early = settled("d", 1);
    expect(partToClose([...first.toReversed(), ...second, ...late, ...early], BEFORE)).toEqual({
      jobs: [first, second],
      month: "2026-11",
      lastEnd: second[1]?.id,
    });
    expect(partToClose([...first], BEFORE)).toMatchObject({ lastEnd: first[1]?.id });
  });

  it("ends with the month", () => {
    const november = settled("a", 1, { at: at("2026-11-30T23:59:59.999Z") });
    const december = settled("b", 1, { at: at("2026-12-01T00:00:00.000Z") });
    const later = at("2027-01-01T00:00:00.000Z");
    expect(partToClose([...november, ...december], later)).toMatchObject({
      jobs: [november],
      month: "2026-11",
    });
    expect(partToClose(december, later)).toMatchObject({ jobs: [december], month: "2026-12" });
  });

  it.each<[string, Entry[]]>([
    [
      "no reservation",
      job("x", [
        ["settle", 0],
        ["release", 0],
      ]),
    ],
    [
      "no release",
      job("x", [
        ["reserve", 1],
        ["settle", 1],
      ]),
    ],
    [
      "more settled and released than reserved",
      job("x", [
        ["reserve", 1],
        ["settle", 1],
        ["release", 1],
      ]),
    ],
    [
      "less settled and released than reserved",
      job("x", [
        ["reserve", 3],
        ["settle", 1],
        ["release", 1],
      ]),
    ],
    [
      "another sum voided",
      job("x", [
        ["reserve", 2],
        ["void", 1],
      ]),
    ],
    [
      "settled and voided",
      job("x", [
        ["reserve", 1],
        ["settle", 1],
        ["void", 1],
      ]),
    ],
    [
      "released and voided",
      job("x", [
        ["reserve", 1],
        ["release", 1],
        ["void", 1],
      ]),
    ],
    ["two funds", [...job("x", [["reserve", 1]]), ...job("x", [["void", 1]], { fund: "paid" })]],
  ])("stops before a job that does not add up (%s), and names it if it is the first", (_, wrong) => {
    expect(partToClose([...wrong, ...settled("b", 1)], BEFORE)).toBe("x");
    const first = settled("a", 1);
    expect(partToClose([...first, ...wrong, ...settled("b", 1)], BEFORE)).toMatchObject({ jobs: [first] });
  });
});

describe("the sums of closed books", () => {
  it("cover each fund, the units of meter events, and each day's use", () => {
    const sums = addToClosed(NOTHING_CLOSED, [
      settled("b", 2),
      voided("a", 4, { at: END - 5 * DAY }),
      settled("c", 3, { at: END - DAY }),
      job(
        "d",
        [
          ["reserve", 7],
          ["settle", 7],
          ["release", 0],
        ],
        { fund: "paid" },
      ).map((entry) => (entry.kind === "settle" ? { ...entry, meterEvent: "an hour" } : entry)),
      job(
        "aa",
        [
          ["reserve", 1],
          ["settle", 0],
          ["release", 1],
        ],
        { fund: "paid", at: END - 2 * DAY },
      ),
    ]);
    expect(sums).toEqual({
      jobs: 5,
      entries: 14,
      lastJobId: "d",
      trialStartedAt: END - DAY,
      trial: { reserved: 11, settled: 5, released: 2, voided: 4 },
      paid: { reserved: 8, settled: 7, released: 1, voided: 0 },
      meteredUnits: 7,
      days: { "2026-11-09": [3, 0], "2026-11-10": [2, 7] },
    });
  });

  it("are stored as JSON and read back, and nothing else is read as them", () => {
    const sums = addToClosed(NOTHING_CLOSED, [settled("a", 1), settled("b", 2, { fund: "paid" })]);
    const stored: unknown = JSON.parse(JSON.stringify(sums));
    expect(ClosedSums.parse(stored)).toEqual(sums);
    expect(ClosedSums.safeParse({ ...sums, trial: {} }).success).toBe(false);
  });

  it("have a trial begin with the reservation of its first job", () => {
    const [reserved, ...rest] = settled("a", 1);
    if (reserved === undefined) throw new Error("no reservation");
    const early = [{ ...reserved, at: END - DAY }, ...rest];
    expect(addToClosed(NOTHING_CLOSED, [early]).trialStartedAt).toBe(END - DAY);
  });

  it("have the last 400 days, up to the newest", () => {
    const on = (day: string) => [settled(day, 1, { at: at(`${day}T12:00:00.000Z`) })];
    let sums = addToClosed(NOTHING_CLOSED, on("2025-10-06"));
    sums = addToClosed(sums, on("2025-10-07"));
    sums = addToClosed(sums, on("2026-11-10"));
    expect(Object.keys(sums.days)).toEqual(["2025-10-07", "2026-11-10"]);
    expect(sums.trial.settled).toBe(3);
    expect(Object.keys(addToClosed(sums, on("2025-10-06")).days)).toEqual(["2025-10-07", "2026-11-10"]);
  });

  it("are the same for any order of jobs", () => {
    const anyJob = fc
      .record({
        name: fc.stringMatching(/^[a-z]{3}$/),
        units: fc.nat(9),
        days: fc.nat(800),
        isVoid: fc.boolean(),
      })
      .map(({ name, units, days, isVoid }) =>
        (isVoid ? voided : settled)(name, units, { at: END - days * DAY }),
      );
    fc.assert(
      fc.property(fc.array(anyJob, { maxLength: 20 }), fc.nat(20), (jobs, cut) => {
        const whole = addToClosed(NOTHING_CLOSED, jobs);
        const inParts = addToClosed(addToClosed(NOTHING_CLOSED, jobs.slice(cut)), jobs.slice(0, cut));
        expect(JSON.stringify(inParts)).toBe(JSON.stringify(whole));
      }),
      { seed: Number(process.env["SEED"]) },
    );
  });
});

describe("an object of closed books", () => {
  const header = { account: "acct_1", number: 2, jobs: 2, previous: { key: "k", digest: "d" } };

  it("is a line about the part and a line per entry, and reads back", () => {
    const jobs = [settled("a", 1, { fund: "paid", meterEvent: "an hour" }), voided("b", 2)];
    const text = closedObject(header, jobs);
    expect(text.split("\n")).toHaveLength(7);
    expect(text.endsWith("\n")).toBe(true);
    expect(readClosedObject(text)).toEqual({ header, jobs });
  });

  it("is refused if a line is malformed", () => {
    expect(() => readClosedObject("")).toThrow();
    expect(() => readClosedObject(`${JSON.stringify(header)}\n{}\n`)).toThrow();
  });

  it("has its month, account, number and digest as its key", () => {
    expect(closedObjectKey("2026-11", "acct_1", 12, "abc")).toBe("ledger/2026-11/acct_1/000012-abc.jsonl");
  });
});
