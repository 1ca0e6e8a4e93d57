import { type Input, SegmentationError } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { only } from "../../test/support/at.ts";
import { memoryClient, picture } from "./support/memory-client.ts";

const url = `data:image/png;base64,${Buffer.from(picture(5)).toString("base64")}`;
const shared = new Uint8Array(new SharedArrayBuffer(13));
shared.set(picture(5));
const within = new Uint8Array([9, ...picture(5), 9]).subarray(1, 14);
const streamOf = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]).stream();

describe("an input", () => {
  it.each<[string, Input, string | undefined]>([
    ["a Uint8Array", picture(5), undefined],
    ["a part of a Uint8Array", within, undefined],
    ["shared memory", shared, undefined],
    ["a Buffer", Buffer.from(picture(5)), undefined],
    ["an ArrayBuffer", picture(5).buffer, undefined],
    ["a Blob", new Blob([picture(5)]), undefined],
    ["a File", new File([picture(5)], "cup.png"), "cup.png"],
    ["an answer of fetch", new Response(picture(5)), undefined],
    [
      "a stream with a name and a type",
      { stream: streamOf(picture(5)), name: "cup.png", type: "image/png" },
      "cup.png",
    ],
    ["a stream alone", { stream: streamOf(picture(5)) }, undefined],
    ["a URL", new URL(url), undefined],
    ["{ url }", { url }, undefined],
    ["{ url } with a name", { url, name: "cup.png" }, "cup.png"],
  ])("is %s: these bytes arrive, under its name", async (_, input, name) => {
    const { client, service } = memoryClient();
    const { pictures } = await client.segment(input, "cup");
    const { taskId, name: named } = only(pictures);
    expect([...(service.uploads.get(taskId)?.bytes ?? [])]).toEqual([...picture(5)]);
    expect(service.uploads.get(taskId)?.contentType).toBe("image/png");
    expect(named).toBe(name ?? taskId);
  });

  it.each<[string, () => Input, string]>([
    ["no URL", () => "photo.png", "photo.png is not a URL. Paths are taken by segmentation-client/node."],
    [
      "an answer that is an error",
      () => new Response("", { status: 404 }),
      "The input answered with status 404",
    ],
    [
      "a stream that breaks",
      () => ({ stream: new ReadableStream({ start: (c) => c.error(new Error("gone")) }), name: "a.png" }),
      "a.png cannot be read to its end.",
    ],
  ])("that is %s is refused in a sentence, before anything is sent", async (_, input, message) => {
    const { client, service } = memoryClient();
    const failure: unknown = await client.segment(input(), "cup").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SegmentationError);
    expect(failure).toMatchObject({ code: "invalid_input", message: expect.stringContaining(message) });
    expect(service.asked).toEqual([]);
  });
});
