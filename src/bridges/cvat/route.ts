import { Hono } from "hono";
import { ServiceError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/context.ts";
import { respondWithJson } from "../../http/json-stream.ts";
import { readBody } from "../../http/read-request.ts";
import { asTool, type BridgeClient, ifSet } from "../client.ts";
import { foundIn, type FoundPicture } from "../found.ts";
import { runJob, type Wanted } from "../jobs.ts";
import { bytesOfBase64 } from "../uploads.ts";
import { DETECTOR, functionsOf, INTERACTOR, labelsOf } from "./functions.ts";
import { Invocation, regionOf } from "./invocation.ts";
import { detectorJson, interactorJson } from "./shapes.ts";

/** A frame of 15 MB in base64: it passes through the Worker's memory. */
const MOST_BYTES = 20_000_000;

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
      const functions = await functionsOf(client);
      const name = c.req.param("name");
      const named = Object.hasOwn(functions, name) ? functions[name] : undefined;
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
      const wanted = { prompts: await labelsOf(client), threshold };
      return respondWithJson(c, detectorJson((await segment(client, image, wanted)).objects));
    }),
  );
