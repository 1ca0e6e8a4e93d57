import { Hono } from "hono";
import { ServiceError } from "../../shared/errors.ts";
import type { AppEnv } from "../../http/context.ts";
import { refuseOtherType, validBody } from "../../http/read-request.ts";
import { retrieveModel } from "../../models/operations/models.ts";
import { refuseWithoutAccess, withLargeBody } from "../../http/large-body.ts";
import { asTool, ifSet } from "../client.ts";
import type { Requester } from "../../segment/operations/requester.ts";
import { foundIn } from "../../segment/operations/found.ts";
import { createJobOf, endOf, type Wanted } from "../jobs.ts";
import { drawingOf } from "./context.ts";
import { controlsFor, readInterface } from "./interface.ts";
import { sourcesOf } from "./picture.ts";
import { BODY, PredictRequest } from "./request.ts";
import { type Prediction, predictionOf } from "./results.ts";

async function versionOf(client: Requester): Promise<string> {
  const { id, version } = await retrieveModel(client);
  return `${id} ${version}`;
}

/** Reads the task and the interface of a request for predictions. */
function questionOf(client: Requester, { tasks, label_config, params }: PredictRequest) {
  const { controls, image } = readInterface(label_config);
  const context = params?.context;
  const drawing = context === undefined ? null : drawingOf(context);
  if (drawing !== null && tasks.length > 1)
    throw new ServiceError("invalid_request", "tasks: something is drawn, so there must be one task.");
  const sources = sourcesOf(client, image, tasks);
  const controlsOf = tasks.map(({ data }) => controlsFor(controls, data));
  const wanted: Wanted =
    drawing === null
      ? { prompts: [...new Set(controlsOf.flatMap((ofTask) => ofTask.flatMap(({ labels }) => labels)))] }
      : { regions: drawing.regions };
  return { sources, wanted, controlsOf, label: drawing?.label ?? null };
}

/** Returns the predictions for tasks: from a person's drawings, or else from the interface's labels. */
async function predict(
  client: Requester,
  { sources, wanted, controlsOf, label }: ReturnType<typeof questionOf>,
): Promise<Prediction[]> {
  const version = await versionOf(client);
  const created = await createJobOf(client, sources, wanted);
  const job = await endOf(client, created);
  const predictions: Prediction[] = [];
  for (const [index, taskId] of created.taskIds.entries())
    predictions.push(
      predictionOf(await foundIn(client, job, taskId), controlsOf[index] ?? [], label, version),
    );
  return predictions;
}

/** The protocol of Label Studio's ML backends. */
export const labelStudio = new Hono<AppEnv>()
  .use(ifSet("LABEL_STUDIO"))
  .get("/health", (c) =>
    asTool(c, async (client) => c.json({ status: "UP", model_class: await versionOf(client) })),
  )
  .post("/setup", (c) => asTool(c, async (client) => c.json({ model_version: await versionOf(client) })))
  // The service learns nothing from annotations.
  .post("/webhook", (c) => asTool(c, async () => c.json({ status: "ok", result: {} }, 201)))
  .post("/predict", (c) =>
    asTool(c, async (client) => {
      refuseWithoutAccess(client);
      refuseOtherType(c);
      const question = await withLargeBody(c, client, BODY, async ({ value }) =>
        questionOf(client, validBody(PredictRequest, value)),
      );
      return c.json({ results: await predict(client, question) });
    }),
  );
