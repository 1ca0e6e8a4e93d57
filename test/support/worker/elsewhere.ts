import type { ModelDescription } from "@segmentation/protocol";
import { env } from "cloudflare:workers";
import { platformOf } from "../../../src/platform.ts";
import { PNG } from "./jobs.ts";

/** What an inference service reports about its model. */
export const DESCRIPTION: ModelDescription = {
  id: "told",
  version: "1.2.3",
  family: "builtin",
  provider: "cpu",
  vocabulary: ["person", "car"],
  attributes: false,
  regions: { box: true, points: false, clips: false },
  formats: ["coco"],
  capabilities: { types: ["image", "video"], preview: true },
};

/**
 * Every other server that an operation may ask, as a test of all operations plays it: an inference service that describes its
 * model, and a picture at every other URL.
 */
export const playedElsewhere = async ({ url }: Request): Promise<Response> =>
  url.startsWith(platformOf(env).settings.INFERENCE_URL)
    ? Response.json(DESCRIPTION)
    : new Response(PNG, { headers: { "content-type": "image/png" } });
