import { describe, expect, it } from "vitest";
import { type Output, ProgressBar } from "../src/progress-bar.ts";

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

const frames = (total: number) => ({
  total,
  steps: 10,
  amount: (done: number) => `${done} of ${total} frames`,
});

describe("a progress bar", () => {
  it("is a line for each step if there is no terminal", () => {
    const said = new Said(false);
    const bar = new ProgressBar(said, frames(20));
    for (let done = 1; done <= 20; done += 1) bar.add(1);
    bar.end();
    expect(said.text.split("\n")).toEqual([
      ...Array.from({ length: 10 }, (_, n) => `  ${2 * n + 2} of 20 frames`),
      "",
    ]);
  });

  it("is a bar on a terminal, full at the end and ended before the next line", () => {
    const said = new Said(true);
    const bar = new ProgressBar(said, frames(4));
    bar.add(2);
    bar.add(2);
    bar.end();
    expect(said.text).toBe(
      `\r[${"#".repeat(15)}${"-".repeat(15)}] 2 of 4 frames\r[${"#".repeat(30)}] 4 of 4 frames\n`,
    );
  });

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
