import { Hono } from "hono";
import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/context.ts";
import { respondWithJson } from "../../http/json-stream.ts";
import { readBody } from "../../http/read-request.ts";
import { asTool, type BridgeClient, ifSet } from "../client.ts";
import { foundIn, type FoundPicture } from "../found.ts";
import { runJob, type Wanted } from "../jobs.ts";
import { bytesOfBase64 } from "../uploads.ts";
import { DETECTOR, functionsOf, INTERACTOR, labelsOf } from "./functions.ts";
import { detectorJson, interactorJson } from "./shapes.ts";

/** A frame of 15 MB in base64: it passes through the Worker's memory. */
const MOST_BYTES = 20_000_000;

const Point = z.tuple([z.number(), z.number()]);
const Invocation = z.object({
  image: z.string().min(1),
  threshold: z.number().min(0).max(1).nullish(),
  pos_points: z.array(Point).default([]),
  neg_points: z.array(Point).default([]),
  /** Two corners, one after the other or each by itself. */
  obj_bbox: z
    .union([z.tuple([z.number(), z.number(), z.number(), z.number()]), z.tuple([Point, Point])])
    .nullish()
    .transform((corners) => corners?.flat()),
});
type Invocation = z.infer<typeof Invocation>;

/** What is pointed at. Points are more exact than the box that a person began with. */
function regionOf({ pos_points, neg_points, obj_bbox }: Invocation): NonNullable<Wanted["regions"]>[number] {
  const points = [
    ...pos_points.map(([x, y]) => ({ x, y, label: 1 as const })),
    ...neg_points.map(([x, y]) => ({ x, y, label: 0 as const })),
  ];
  if (pos_points.length > 0 || obj_bbox === undefined) return { points, picture: 0 };
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = obj_bbox;
  return { box: [Math.min(x1, x2), Math.min(y1, y2), Math.abs(x2 - x1), Math.abs(y2 - y1)], picture: 0 };
}

/** Segments the picture of an invocation. */
async function segment(
  client: BridgeClient,
  image: string,
  wanted: Wanted,
): Promise<Pick<FoundPicture, "objects"> & { readonly size: NonNullable<FoundPicture["size"]> }> {
  const source = { bytes: bytesOfBase64(image), contentType: null };
  const { job, taskIds } = await runJob(client, [source], wanted);
  const found = await foundIn(client, job, taskIds[0] ?? "");
  if (found === null || found.size === null)
    throw new ServiceError("job_not_ready", "The picture is a clip. Send a picture.");
  return { objects: found.objects, size: found.size };
}

/** What Nuclio's dashboard answers: CVAT's list of functions, and their invocations. */
export const cvat = new Hono<AppEnv>()
  .use(ifSet("CVAT"))
  .get("/functions", (c) => asTool(c, async (client) => c.json(await functionsOf(client))))
  .get("/functions/:name", (c) =>
    asTool(c, async (client) => {
      const { [c.req.param("name")]: named } = await functionsOf(client);
      if (named === undefined) throw new ServiceError("not_found", "There is no function with this name.");
      return c.json(named);
    }),
  )
  .post("/function_invocations", (c) =>
    asTool(c, async (client) => {
      const name = c.req.header("x-nuclio-function-name");
      if (name !== INTERACTOR && name !== DETECTOR)
        throw new ServiceError(
          "not_found",
          `There is no function with this name. Call ${INTERACTOR} or ${DETECTOR}.`,
        );
      const invocation = await readBody(c, Invocation, MOST_BYTES);
      const { image, threshold } = invocation;
      if (name === INTERACTOR) {
        const { objects, size } = await segment(client, image, { regions: [regionOf(invocation)] });
        return respondWithJson(c, interactorJson(objects[0], size));
      }
      const wanted = { prompts: await labelsOf(client), threshold: threshold ?? undefined };
      return respondWithJson(c, detectorJson((await segment(client, image, wanted)).objects));
    }),
  );
