import { describe, expect, it } from "vitest";
import { framesOf, limitsInWords, obstacleTo } from "../../../src/workspace/rules/obstacles.ts";
import { bytesIn } from "../../../src/text/format.ts";
import { bytesOf, givenPicture, pictureOfTask, taskIdOf } from "../../../src/workspace/rules/picture.ts";

const picture = givenPicture(new File(["12345678"], "cat.jpg"));

describe("pictures of a workspace", () => {
  it("are named after their file, or the end of their address", () => {
    expect(picture.name).toBe("cat.jpg");
    expect(givenPicture(new URL("https://a.example/b/c.png?d")).name).toBe("c.png");
    expect(givenPicture(new URL("https://a.example/")).name).toBe("a.example");
    expect(givenPicture(new File([], "")).name).toBe("Pasted picture");
  });

  it("count their bytes as they go", () => {
    const going = { ...picture, sending: { at: "sending" as const, bytes: 3 } };
    const gone = { ...picture, sending: { at: "sent" as const, taskId: "t" } };
    expect(bytesOf([picture, going, gone])).toEqual({ sent: 11, total: 24 });
    // A request has more bytes than its file.
    expect(bytesOf([{ ...picture, sending: { at: "sending", bytes: 99 } }])).toEqual({ sent: 8, total: 8 });
  });

  it("of an earlier job are there already, without their file if this browser lacks it", () => {
    expect(taskIdOf(pictureOfTask("t", null))).toBe("t");
    expect(pictureOfTask("t", null)).toMatchObject({ name: "", file: null });
  });
});

describe("bytes in words", () => {
  it.each([
    [0, "0.0 kB"],
    [9_400, "9.4 kB"],
    [466_706, "467 kB"],
    [12_300_000, "12 MB"],
    [2_500_000_000, "2.5 GB"],
  ])("%i is %s", (bytes, words) => {
    expect(bytesIn(bytes)).toBe(words);
  });
});

describe("the obstacle to a job", () => {
  type Overview = Parameters<typeof obstacleTo>[0];
  const trial: Overview = {
    access: {
      mode: "trial",
      reason: "trial_active",
      canCreateJobs: true,
      videoAllowed: false,
      downloadsAllowed: true,
      maxImageTasksPerJob: 3,
      maxActiveJobs: 1,
    },
    trial: {
      offerVersion: "v1",
      status: "active",
      grantTokens: 100,
      consumedTokens: 98,
      remainingTokens: 2,
      durationDays: 14,
      startedAt: null,
      expiresAt: null,
      activeJobId: null,
    },
  };

  it("and shows a job's cost before anything is chosen", () => {
    expect(limitsInWords(trial)).toBe(
      "Your trial has 2 units left: one per picture, up to 3 pictures per job, no videos.",
    );
    const access = { ...trial.access, mode: "paid" as const, maxImageTasksPerJob: 100 };
    expect(limitsInWords({ ...trial, access })).toContain("a video 1 unit per processed frame");
    // An account that can't create jobs is invited to none.
    expect(limitsInWords({ ...trial, access: { ...access, canCreateJobs: false } })).toBe("");
    expect([framesOf(4, 2), framesOf(0.1, 2), framesOf(4.2, 1)]).toEqual([8, 1, 5]);
  });

  it("is nothing if the trial allows it", () => {
    expect(obstacleTo(trial, "image", 2)).toBeNull();
  });

  it("is the trial's limit per job, with how many to keep", () => {
    expect(obstacleTo(trial, "image", 12)).toMatchObject({ title: "At most 3 pictures per job", keep: 3 });
  });

  it("is what is left of the trial", () => {
    expect(obstacleTo(trial, "image", 3)).toMatchObject({ title: "2 units left in your trial", keep: 2 });
  });

  it("is that a trial takes no videos", () => {
    expect(obstacleTo(trial, "video", 1)?.title).toBe("Videos require the paid plan");
  });

  it("says why there can be no jobs at all", () => {
    const access = { ...trial.access, canCreateJobs: false, reason: "trial_expired" as const };
    expect(obstacleTo({ ...trial, access }, "image", 1)?.title).toBe("Your trial has ended");
  });
});
