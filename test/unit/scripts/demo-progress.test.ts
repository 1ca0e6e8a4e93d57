import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Output, ProgressBar } from "../../../inference-container/src/progress-bar.ts";
import { JobProgress, progressScale } from "../../../scripts/demo/job-progress.ts";

class Said implements Output {
  readonly isTTY: boolean;
  text = "";

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

/** What the API's header tells of so many frames. */
const shareOf = (done: number, total: number): number => Math.floor((100 * done) / total) / 100;

describe("a clip's progress", () => {
  it("is a line for each tenth of its frames where there is no terminal", () => {
    const said = new Said(false);
    const shown = new JobProgress(said, progressScale(20));
    shown.update({ status: "queued" }, 0);
    for (let done = 0; done < 20; done += 1) shown.update({ status: "processing" }, shareOf(done, 20));
    shown.update({ status: "success" }, 1);
    expect(said.text.split("\n").map((line) => line.replace(/^ +\d+\.\d s/, ""))).toEqual([
      "  queued",
      "  processing",
      ...Array.from({ length: 10 }, (_, n) => `  ${2 * n + 2} of 20 frames`),
      "  success",
      "",
    ]);
  });

  it("is given in hundredths where the number of frames is not known", () => {
    const said = new Said(false);
    const shown = new JobProgress(said, progressScale(null));
    for (const share of [0, 0.29, 0.58]) shown.update({ status: "processing" }, share);
    expect(said.text).toMatch(/processing\n {2}29 %\n {2}58 %\n$/);
  });

  it("counts up to 100 frames exactly, and of more never one that is not done", () => {
    const counts = fc
      .integer({ min: 1, max: 3_600 })
      .chain((total) => fc.record({ total: fc.constant(total), done: fc.integer({ min: 0, max: total }) }));
    fc.assert(
      fc.property(counts, ({ total, done }) => {
        const scale = progressScale(total);
        const told = Number.parseInt(scale.amount(shareOf(done, total) * total, total), 10);
        if (total <= 100) expect(told).toBe(done);
        expect(told).toBeLessThanOrEqual(done);
        expect(told).toBeGreaterThan(done - total / 100 - 1);
      }),
    );
  });

  it("is a bar on a terminal, full at the end and ended before the next line", () => {
    const said = new Said(true);
    const shown = new JobProgress(said, progressScale(4));
    shown.update({ status: "processing" }, 0.5);
    shown.update({ status: "success" }, 1);
    const [, bar = "", ending] = said.text.split("\n");
    expect(bar.split("\r").slice(1)).toEqual([
      `[${"#".repeat(15)}${"-".repeat(15)}] 2 of 4 frames`,
      `[${"#".repeat(30)}] 4 of 4 frames`,
    ]);
    expect(ending).toMatch(/success$/);
  });

  it("begins again when an attempt failed and the job is taken again", () => {
    const said = new Said(false);
    const shown = new JobProgress(said, progressScale(10));
    for (const [status, share] of [
      ["processing", 0.4],
      ["queued", 0],
      ["processing", 0.1],
    ] as const) {
      shown.update({ status }, share);
    }
    expect(said.text).toMatch(/4 of 10 frames\n.*queued\n.*processing\n {2}1 of 10 frames\n$/);
  });

  it("is not shown of a photograph", () => {
    const said = new Said(true);
    const shown = new JobProgress(said, null);
    shown.update({ status: "processing" }, 0);
    shown.update({ status: "success" }, 1);
    expect(said.text).not.toContain("[");
  });
});

describe("a progress bar", () => {
  it("leaves nothing of a longer text behind", () => {
    const said = new Said(true);
    const bar = new ProgressBar(said, { total: 10, steps: 4, amount: (done) => "x".repeat(10 - done) });
    bar.add(2);
    bar.add(5);
    bar.end();
    const drawn = said.text.trimEnd().split("\r").at(-1) ?? "";
    expect(said.text).toContain("x".repeat(8));
    expect(drawn).toMatch(/ xxx$/);
    expect(said.text.replace("\n", "").split("\r").at(-1)).toHaveLength(33 + 8);
  });
});
