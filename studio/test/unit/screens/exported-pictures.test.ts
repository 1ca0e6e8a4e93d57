import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import {
  exportedPictures,
  type ExportedView,
  wholeOf,
} from "../../../src/screens/segment/inspector/exported-pictures.ts";

const STATUSES = ["success", "processing", "failed"] as const;

const view: ExportedView = {
  workspace: {
    pictures: signal(
      STATUSES.map((status) => ({
        key: status,
        name: `${status}.png`,
        file: null,
        address: null,
        sending: { at: "sent", taskId: status },
      })),
    ),
    verdicts: signal(new Map()),
    taskOf: ({ key }) => {
      const status = STATUSES.find((each) => each === key);
      return status && { taskId: status, status, error: null };
    },
    isDone: ({ key }) => key === "success",
    hasOriginal: () => false,
    original: async () => await Promise.resolve(null),
  },
  objectsIn: () => [],
  masksOf: async () => await Promise.resolve([]),
  nameObjects: () => undefined,
};

it("exports no picture that failed or is not segmented yet as one without objects", () => {
  const missing = exportedPictures(view).map(({ name, isMissing }) => [name, isMissing]);
  expect(missing).toEqual([
    ["success.png", false],
    ["processing.png", true],
    ["failed.png", true],
  ]);
});

it("exports nothing before the last results of an ended search are here", () => {
  const found = (...areFinal: readonly boolean[]) => ({ jobs: areFinal.map((isFinal) => ({ isFinal })) });
  const whole = found(true, true);
  const of = (status: "success" | "failed" | "processing", results: typeof whole, at: "idle" | "running") =>
    wholeOf({ job: signal({ status }), going: signal({ at }), found: signal(results) });
  expect(of("success", found(true, false), "running")).toBeNull();
  expect(of("processing", whole, "running")).toBeNull();
  expect(of("failed", whole, "running")).toBeNull();
  expect(of("success", whole, "running")).toBe(whole);
  expect(of("failed", whole, "idle")).toBe(whole);
});
