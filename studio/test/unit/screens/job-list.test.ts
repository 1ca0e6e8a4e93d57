import fc from "fast-check";
import type { JobSummary } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { continued, type Listed, refreshed } from "../../../src/state/listed.ts";
import { jobGroupsOf, isFound } from "../../../src/screens/jobs/job-groups.ts";
import { rowsOf, rowWindow, scrollTo } from "../../../src/screens/jobs/window.ts";

const ROW = 72;
const count = fc.nat(10_000);
const top = fc.integer({ min: -2_000, max: 10_001 * ROW });
const height = fc.integer({ min: 100, max: 2_160 });

describe("the rows of a long list that are drawn", () => {
  it("have every visible row, and at most sixteen more than fit into the window", () => {
    fc.assert(
      fc.property(count, top, height, (rows, above, window) => {
        const { first, end } = rowWindow(rows, ROW, above, window);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(rows);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(window / ROW) + 1 + 16);
        for (const row of [0, rows - 1, Math.floor(above / ROW), Math.floor((above + window) / ROW)]) {
          const isSeen = row * ROW < above + window && (row + 1) * ROW > above;
          if (row >= 0 && row < rows && isSeen) expect(row >= first && row < end).toBe(true);
        }
      }),
    );
  });

  it("have the focused row at any place, each once and in order", () => {
    fc.assert(
      fc.property(count, top, height, fc.nat(10_000), (rows, above, window, focused) => {
        const drawn = rowsOf(rowWindow(rows, ROW, above, window), focused, rows);
        expect(drawn).toEqual([...new Set(drawn)].toSorted((a, b) => a - b));
        expect(drawn.includes(focused)).toBe(focused < rows);
      }),
    );
  });

  it("are fully between the window's bars after scrolling to one", () => {
    const bars = { above: 16, below: 72 };
    fc.assert(
      fc.property(count, top, fc.integer({ min: 300, max: 2_160 }), (row, above, window) => {
        const after = above + scrollTo(row, ROW, above, window, bars);
        expect(row * ROW).toBeGreaterThanOrEqual(after + bars.above);
        expect((row + 1) * ROW).toBeLessThanOrEqual(after + window - bars.below);
        expect(scrollTo(row, ROW, after, window, bars)).toBe(0);
      }),
    );
  });
});

/** Jobs by their numbers, the newest (the highest) first; `pages` are the API's answers, by cursors. */
const job = (number: number) => ({ jobId: `job_${number}` });
function page(jobs: readonly number[], from: number | null, size: number): Listed<{ jobId: string }> {
  const rest = from === null ? jobs : jobs.filter((number) => number < from);
  const items = rest.slice(0, size);
  const last = items.at(-1);
  return {
    items: items.map(job),
    nextToken: rest.length > size && last !== undefined ? String(last) : null,
  };
}
const idOf = ({ jobId }: { readonly jobId: string }): string => jobId;
const newestFirst = (jobs: readonly number[]): number[] => [...new Set(jobs)].toSorted((a, b) => b - a);

describe("a list of jobs", () => {
  it("has each job once, in order, to the last page, with concurrent changes and repeated requests", () => {
    const change = fc.record({
      create: fc.nat(6),
      remove: fc.array(fc.nat(60), { maxLength: 3 }),
      ask: fc.constantFrom("refresh", "continue"),
    });
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.integer({ min: 1, max: 7 }),
        fc.array(change, { maxLength: 12 }),
        (begin, size, changes) => {
          let next = begin;
          let jobs = newestFirst(Array.from({ length: begin }, (_, i) => i));
          let list = page(jobs, null, size);
          for (const { create, remove, ask } of changes) {
            jobs = newestFirst([...jobs, ...Array.from({ length: create }, () => next++)]).filter(
              (number) => !remove.includes(number),
            );
            if (ask === "refresh") list = refreshed(list, page(jobs, null, size), idOf);
            else if (list.nextToken !== null)
              list = continued(list, page(jobs, Number(list.nextToken), size));
          }
          // At last: all pages, and then once more the first.
          while (list.nextToken !== null) list = continued(list, page(jobs, Number(list.nextToken), size));
          const numbers = list.items.map(({ jobId }) => Number(jobId.slice(4)));
          expect(numbers).toEqual(newestFirst(numbers));
          const first = page(jobs, null, size);
          expect(refreshed(list, first, idOf).items.slice(0, first.items.length)).toEqual(first.items);
        },
      ),
    );
  });

  it("is cut to its first page if that does not reach the former rows", () => {
    const before = { items: [3, 2, 1].map(job), nextToken: "1" };
    const after = { items: [9, 8, 7].map(job), nextToken: "7" };
    expect(refreshed(before, after, idOf)).toEqual(after);
  });
});

describe("the rows of a list of jobs", () => {
  const listed = (
    number: number,
    continues?: number,
    status: JobSummary["status"] = "success",
  ): JobSummary => ({
    jobId: `job_${number}`,
    type: "image",
    processingMode: "single",
    totalItems: 1,
    status,
    createdAt: "2026-11-20T09:30:00.000Z",
    updatedAt: "2026-11-20T09:30:00.000Z",
    error: null,
    ...(continues !== undefined && { continues: `job_${continues}` }),
  });
  const rows = (jobs: readonly JobSummary[]) =>
    jobGroupsOf(jobs).map(({ job: { jobId }, state, jobs: all }) => [jobId, state.jobId, all.length]);

  it("are one for each job with its additions, at the place of the newest of them", () => {
    expect(rows([listed(5, 1), listed(4), listed(3, 1), listed(2), listed(1)])).toEqual([
      ["job_1", "job_1", 3],
      ["job_4", "job_4", 1],
      ["job_2", "job_2", 1],
    ]);
  });

  it("say that something is in progress as long as any of their jobs has not ended", () => {
    expect(rows([listed(3, 1, "processing"), listed(2, 1, "failed"), listed(1)])).toEqual([
      ["job_1", "job_3", 3],
    ]);
  });

  it("have the oldest of their jobs as long as the first is not loaded, or if it was deleted", () => {
    expect(rows([listed(3, 1), listed(2, 1)])).toEqual([["job_2", "job_2", 2]]);
  });

  it("are found by words in any of their texts, each in any case", () => {
    const texts = ["Cup", "spoon", "harbour.png", "job_019aa0"];
    for (const words of ["cup", "SPOON har", "r.p 019"]) expect(isFound(words, texts)).toBe(true);
    for (const words of ["cup saucer", "cupspoon"]) expect(isFound(words, texts)).toBe(false);
  });

  it("have every job once", () => {
    const numbers = fc.tuple(fc.nat(200), fc.option(fc.nat(20), { nil: undefined }));
    fc.assert(
      fc.property(fc.uniqueArray(numbers, { selector: ([number]) => number }), (jobs) => {
        const all = jobs.map(([number, first]) => listed(number, first));
        const ids = (some: readonly JobSummary[]): string[] => some.map(({ jobId }) => jobId).toSorted();
        expect(ids(jobGroupsOf(all).flatMap((group) => group.jobs))).toEqual(ids(all));
        const firsts = jobGroupsOf(all).map((group) => group.jobs[0].continues ?? group.jobs[0].jobId);
        expect(new Set(firsts).size).toBe(firsts.length);
      }),
    );
  });
});
