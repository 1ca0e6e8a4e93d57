import { sentenceOf } from "../../../src/text/task-problems.ts";
import { describe, expect, it } from "vitest";
import { promptsText, statusWord, subjectOf } from "../../../src/screens/jobs/job-words.ts";

describe("a job's words in the list", () => {
  it.each([
    ["queued", null, "Queued"],
    ["processing", null, "Running"],
    ["success", null, "Done"],
    ["failed", "image_corrupt: The picture is damaged.", "Failed"],
    ["failed", "canceled: The job was canceled.", "Canceled"],
  ] as const)("is, for %s with the error %s, %s", (status, error, word) => {
    expect(statusWord({ status, error })).toBe(word);
  });

  it("says why it failed without the code", () => {
    expect(sentenceOf("image_corrupt: The picture is damaged: send another.")).toBe(
      "The picture is damaged: send another.",
    );
    expect(sentenceOf("Something else.")).toBe("Something else.");
    expect(sentenceOf("all_tasks_failed: None of the 2 tasks succeeded. See the error of each task.")).toBe(
      "No picture could be segmented. Open the job to see why.",
    );
    expect(
      sentenceOf("disk_full: The inference service ran out of disk space. Create a new job later."),
    ).toBe("The service ran out of disk space. Run it again later.");
    expect(sentenceOf("task_refused: The inference service does not know this kind of task.")).toBe(
      "The service is set up wrongly. Tell its operator: task_refused.",
    );
  });

  it("is Canceled for a canceled batch, whose error says that all tasks failed", () => {
    expect(statusWord({ status: "failed", error: "all_tasks_failed: None of 2." }, true)).toBe("Canceled");
  });

  it("counts its pictures, and names its prompts if it has any", () => {
    expect(subjectOf({ type: "image", totalItems: 1 })).toBe("1 picture");
    expect(subjectOf({ type: "image", totalItems: 100 })).toBe("100 pictures");
    expect(subjectOf({ type: "video", totalItems: 1 })).toBe("Video");
    expect(promptsText(["cat", "red cup"])).toBe("cat, red cup");
    expect(promptsText([])).toBe("Objects by point or box");
  });
});
