import { expect, it } from "vitest";
import type { OperatorApi } from "../../../../../scripts/shared/database/operator-api.ts";
import { rotateSecret } from "../../../../../scripts/operate/admin/rotate-secret.ts";
import type { ResealAnswer } from "../../../../../src/operator/contract/operator.ts";

const HOUR = 3_600_000;
const PAGE: ResealAnswer = {
  looked: 100,
  resealed: 40,
  unreadable: [],
  next: null,
  hasPrevious: true,
  signedMs: 97 * HOUR,
};

/** Runs the command on a Worker that answers with these pages. */
async function run(...pages: Partial<ResealAnswer>[]) {
  const asked: unknown[] = [];
  const progress: string[] = [];
  const call: OperatorApi["call"] = async (_method, _path, body) => {
    asked.push(body);
    return { ...PAGE, ...pages[asked.length - 1] };
  };
  const now = Date.UTC(2026, 10, 1);
  return { ...(await rotateSecret({ call }, (line) => progress.push(line), now)), asked, progress };
}

it("asks for page after page, from behind the last endpoint of each, and says how far it is", async () => {
  const { asked, progress, summary, exitCode } = await run(
    { next: "whe_2" },
    { next: "whe_4", resealed: 0 },
    { looked: 7, resealed: 1 },
  );
  expect(asked).toEqual([{ after: "" }, { after: "whe_2" }, { after: "whe_4" }]);
  expect(progress).toEqual([
    "so far: webhook endpoints: 100; resealed: 40; unreadable: 0",
    "so far: webhook endpoints: 200; resealed: 40; unreadable: 0",
  ]);
  expect(summary).toMatch(/^webhook endpoints: 207; resealed: 41; unreadable: 0\. Keep /);
  expect(exitCode).toBe(0);
});

it.each([
  ["which sealed something again", {}, "Keep MASTER_SECRET_PREVIOUS until 2026-11-05T01:00:00.000Z"],
  [
    "of which nothing needs it any more",
    { resealed: 0 },
    "remove it 97 hours after MASTER_SECRET was changed",
  ],
  ["where there is none", { hasPrevious: false }, "no previous secret to remove"],
])("says when the previous secret may go: %s", async (_, page, sentence) => {
  expect((await run(page)).summary).toContain(sentence);
});

it("names endpoints with undecryptable secrets, and fails", async () => {
  const { result, summary, exitCode } = await run({ unreadable: ["whe_1"], next: "whe_1" }, {});
  expect(result).toEqual([{ endpointId: "whe_1" }]);
  expect(summary).toContain("accounts of unreadable ones have to rotate");
  expect(exitCode).toBe(1);
});
