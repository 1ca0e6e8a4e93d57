import { Problem, problemOf, PROBLEMS, TaskProblem } from "@segmentation/protocol";
import { describe, expect, it } from "vitest";

describe("a task's problem", () => {
  it("is its code and its sentence, with what happened filled in", () => {
    const problem = problemOf("input_too_large", { limit: 12 });
    expect(problem).toEqual({
      code: "input_too_large",
      message: "The file is larger than the limit of 12 MB. Upload a smaller one.",
    });
    expect(Problem.parse(TaskProblem.parse(problem))).toEqual(problem);
    expect(problemOf("disk_full").message).toBe(PROBLEMS.disk_full.sentence);
  });

  it("is cut to the protocol's limit, between characters", () => {
    const { message } = problemOf("prompt_outside_vocabulary", { explanation: "😀".repeat(400) });
    expect(message).toHaveLength(499);
    expect(message).toMatch(/^(?:😀)+…$/u);
    expect(TaskProblem.safeParse({ code: "prompt_outside_vocabulary", message }).success).toBe(true);
  });

  it("is well-formed with a value cut at any place", () => {
    const { message } = problemOf("prompt_outside_vocabulary", { explanation: "cup \uD83D… " });
    expect(message).toBe("cup \uFFFD… ");
    for (const length of [498, 499, 500, 501]) {
      const long = problemOf("prompt_outside_vocabulary", { explanation: `${"a".repeat(length)}😀` }).message;
      expect(long.isWellFormed()).toBe(true);
      expect(long.length).toBeLessThanOrEqual(500);
    }
  });

  it("shows values unchanged, even if they look like placeholders", () => {
    expect(problemOf("not_an_image", { found: "{found} $& {limit}" }).message).toContain(
      "The file is {found} $& {limit}. Upload",
    );
  });

  it("is checked by the compiler: its code, and each value that its sentence needs", () => {
    // @ts-expect-error No such code.
    expect(() => problemOf("input_too_small")).toThrow();
    // @ts-expect-error The limit is missing.
    expect(problemOf("input_too_large").message).toContain("{limit}");
    // @ts-expect-error The limit goes by another name.
    expect(problemOf("input_too_large", { most: 12 }).message).toContain("{limit}");
    // @ts-expect-error Its sentence has nothing to fill in.
    expect(problemOf("disk_full", { limit: 12 }).message).not.toContain("12");
  });

  it.each(Object.entries(PROBLEMS).filter(([code]) => !code.startsWith("prompt_")))(
    "%s says in sentences what happened and what to do",
    (_, { sentence }) => expect(sentence).toMatch(/^[A-Z{].+\. [A-Z{].+\.$/),
  );
});
