import { vi } from "vitest";
import { aModel } from "../../a-model.ts";
import { home } from "../runtime/databases.ts";
import { PNG } from "../fixtures/jobs.ts";

/** An inference service's report about its model. */
export const DESCRIPTION = aModel({
  id: "told",
  version: "1.2.3",
  vocabulary: ["person", "car"],
  regions: { box: true, points: false, clips: false, examples: false },
  formats: ["coco"],
  capabilities: { types: ["image", "video"], preview: true },
});

/**
 * Fakes every other server that an operation may call: an inference service that describes its model, and a picture at every
 * other URL.
 */
export const fakeElsewhere = async ({ url }: Request): Promise<Response> =>
  url.startsWith(String(home.platform.settings.INFERENCE_URL))
    ? Response.json(DESCRIPTION)
    : new Response(PNG, { headers: { "content-type": "image/png" } });

/**
 * Fakes the inference service's description of its model, and a picture at each URL of pictures.test, in addition to existing
 * fakes.
 */
export function fakeModelAndPictures(): void {
  const fake = vi.mocked(globalThis.fetch).getMockImplementation();
  vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
    const { url } = new Request(input, init);
    if (url.endsWith("/v1/model")) return Response.json(DESCRIPTION);
    if (url.startsWith("https://pictures.test/"))
      return new Response(PNG, { headers: { "content-length": String(PNG.length) } });
    return (await fake?.(input, init)) ?? new Response(null, { status: 500 });
  });
}
