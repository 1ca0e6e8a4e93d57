import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import {
  exportedPictures,
  type ExportedView,
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
