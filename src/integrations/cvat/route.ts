import { Hono } from "hono";
import { ServiceError } from "../../shared/errors.ts";
import type { AppEnv } from "../../http/context.ts";
import { respondWithJson } from "../../http/json-stream.ts";
import { refuseOtherType, validBody } from "../../http/read-request.ts";
import type { StrictJson } from "../../http/strict-json.ts";
import { refuseWithoutAccess, withLargeBody } from "../../http/large-body.ts";
import { asTool, ifSet } from "../client.ts";
import type { Requester } from "../../segment/operations/requester.ts";
import { foundIn, type FoundPicture } from "../../segment/operations/found.ts";
import { pictureIn } from "../../http/inline-picture.ts";
import { type CreatedJob, createJobOf, endOf, type Wanted } from "../jobs.ts";
import { DETECTOR, functionsOf, INTERACTOR, labelsOf } from "./functions.ts";
import { BODY, Invocation, regionOf } from "./invocation.ts";
import { detectorJson, interactorJson } from "./shapes.ts";

/** Stores the picture of an invocation, and begins to segment it. */
async function begin(
  client: Requester,
  { value, aside }: StrictJson,
  wantedOf: (invocation: Invocation) => Wanted | Promise<Wanted>,
): Promise<CreatedJob> {
  const wanted = await wantedOf(validBody(Invocation, value));
  const [image] = aside;
  const bytes = image === undefined ? null : pictureIn(image.bytes);
  if (bytes === null)
    throw new ServiceError("invalid_request", "image: is missing. Send the picture in base64.");
  return createJobOf(client, [{ bytes, contentType: null }], wanted);
}

/** Returns the objects that a job finds in its picture, and the picture's size. */
async function objectsOf(
  client: Requester,
  created: CreatedJob,
): Promise<Pick<FoundPicture, "objects"> & { readonly size: NonNullable<FoundPicture["size"]> }> {
  const found = await foundIn(client, await endOf(client, created), created.taskIds[0] ?? "");
  if (found === null || found.size === null)
    throw new ServiceError("job_not_ready", "The picture is a video. Send a picture.");
  return { objects: found.objects, size: found.size };
}

/** The routes of Nuclio's dashboard: CVAT's list of functions, and their invocations. */
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
      refuseWithoutAccess(client);
      refuseOtherType(c);
      const isInteractor = name === INTERACTOR;
      const wantedOf = async (invocation: Invocation): Promise<Wanted> =>
        isInteractor
          ? { regions: [regionOf(invocation)] }
          : { prompts: await labelsOf(client), threshold: invocation.threshold };
      const created = await withLargeBody(c, client, BODY, (body) => begin(client, body, wantedOf));
      const { objects, size } = await objectsOf(client, created);
      return respondWithJson(c, isInteractor ? interactorJson(objects[0], size) : detectorJson(objects));
    }),
  );
