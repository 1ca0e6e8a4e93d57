import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { etagOf } from "../support/service/fake-worker.ts";
import { type Rig, startRig } from "../support/service/running-service.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig[Symbol.asyncDispose]());
afterEach(() => {
  for (const route of ["input", "PUT", "outputs", "complete"]) rig.worker.failNext(route);
});

test("an input that is not in storage fails by name", async () => {
  const report = await rig.finish({ inputUrl: `${rig.worker.origin}/inputs/missing.png?signature=secret` });
  expect(report).toMatchObject({ outcome: "failed", retryable: false, problem: { code: "input_not_found" } });
});

const CHANGED = { outcome: "failed", retryable: false, problem: { code: "input_changed" } };
const pinned = () => etagOf(rig.worker.inputs.get("bright.png") ?? Buffer.alloc(0));

test("a pinned input is taken while its bytes are the pinned ones", async () => {
  expect((await rig.finish({ inputEtag: pinned() })).outcome).toBe("success");
});

test("a pinned input that was replaced is not processed", async () => {
  const accepted = Buffer.from("what was accepted");
  rig.worker.inputs.set("replaced.png", accepted);
  const request = { inputUrl: `${rig.worker.origin}/inputs/replaced.png`, inputEtag: etagOf(accepted) };
  rig.worker.inputs.set("replaced.png", rig.worker.inputs.get("bright.png") ?? Buffer.alloc(0));
  expect(await rig.finish(request)).toMatchObject(CHANGED);
});

test("a pinned input that disappeared is not in storage, and so not changed", async () => {
  const inputUrl = `${rig.worker.origin}/inputs/missing.png`;
  expect(await rig.finish({ inputUrl, inputEtag: pinned() })).toMatchObject({
    problem: { code: "input_not_found" },
  });
});

test.each([
  ["announces other bytes", { etag: '"other"' }],
  ["does not say which bytes it sends", {}],
])("storage that ignores the condition and %s has a changed input", async (_, headers) => {
  rig.worker.answers.set("careless.png", () => new Response("other bytes", { headers }));
  const inputUrl = `${rig.worker.origin}/answers/careless.png`;
  expect(await rig.finish({ inputUrl, inputEtag: pinned() })).toMatchObject(CHANGED);
});

test("an input that is not pinned is taken as it is", async () => {
  expect((await rig.finish({ inputEtag: undefined })).outcome).toBe("success");
});

test("a redirect of the input is not followed", async () => {
  const report = await rig.finish({ inputUrl: `${rig.worker.origin}/redirect` });
  expect(report).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "input_redirected" },
  });
});

test("an input that announces too many bytes is refused", async () => {
  const report = await rig.finish({ limits: { inputBytes: 100, inputPixels: 10_000, masks: 100 } });
  expect(report).toMatchObject({ outcome: "failed", retryable: false, problem: { code: "input_too_large" } });
});

test("an input that streams without end is cut at the limit", async () => {
  const report = await rig.finish({ inputUrl: `${rig.worker.origin}/endless` });
  expect(report).toMatchObject({ outcome: "failed", retryable: false, problem: { code: "input_too_large" } });
});

test("an input that can't be had for a moment is tried again", async () => {
  rig.worker.failNext("input", 503, 500);
  expect((await rig.finish()).outcome).toBe("success");
});

test("an input that can't be had at all is a retryable failure", async () => {
  rig.worker.failNext("input", 503, 503, 503);
  const report = await rig.finish();
  expect(report).toMatchObject({
    outcome: "failed",
    retryable: true,
    problem: { code: "input_unavailable" },
  });
});

test("a signature that has run out is a retryable failure", async () => {
  rig.worker.failNext("input", 403);
  const report = await rig.finish();
  expect(report).toMatchObject({ outcome: "failed", retryable: true, problem: { code: "input_forbidden" } });
});

test("a PUT that fails for a moment is tried again", async () => {
  rig.worker.failNext("PUT", 500, 503);
  expect((await rig.finish({ key: "put-500" })).outcome).toBe("success");
  expect(rig.worker.stored.has("put-500/masks/0.png")).toBe(true);
});

test("a PUT that is refused is a retryable failure: another lease signs again", async () => {
  rig.worker.failNext("PUT", 403);
  const report = await rig.finish();
  expect(report).toMatchObject({ outcome: "failed", retryable: true, problem: { code: "output_refused" } });
});

test("a redirect of a PUT is not followed, and refused at once", async () => {
  rig.worker.failNext("PUT", ...Array.from({ length: 50 }, () => 307));
  const report = await rig.finish({ key: "elsewhere" });
  expect(report).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "output_redirected" },
  });
  expect([...rig.worker.stored.keys()].filter((key) => key.startsWith("elsewhere"))).toEqual([]);
});

test("a grant that fails for a moment is asked for again", async () => {
  rig.worker.failNext("outputs", 500);
  expect((await rig.finish()).outcome).toBe("success");
});

test("a grant on an origin that isn't listed is refused", async () => {
  const report = await rig.finish({ key: "foreign" });
  expect(report).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "storage_origin_refused" },
  });
});

test("a picture that can't be read fails by name", async () => {
  rig.worker.inputs.set("text.png", Buffer.from("no picture"));
  const report = await rig.finish({ inputUrl: `${rig.worker.origin}/inputs/text.png` });
  expect(report).toMatchObject({ outcome: "failed", retryable: false, problem: { code: "not_an_image" } });
});
