import { Hono } from "hono";
import { ServiceError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/context.ts";
import { readBody } from "../../http/read-request.ts";
import { retrieveModel } from "../../services/operations/model.ts";
import { asTool, type BridgeClient, ifSet } from "../client.ts";
import { foundIn } from "../found.ts";
import { runJob } from "../jobs.ts";
import { drawingOf } from "./context.ts";
import { controlsFor, readInterface } from "./interface.ts";
import { sourcesOf } from "./picture.ts";
import { PredictRequest } from "./request.ts";
import { type Prediction, predictionOf } from "./results.ts";

/** Label Studio sends its tasks with all their annotations. */
const MOST_BYTES = 10_000_000;

async function versionOf(client: BridgeClient): Promise<string> {
  const { id, version } = await retrieveModel(client);
  return `${id} ${version}`;
}

/** What Label Studio shows for tasks: of what a person has drawn, or else of the interface's labels. */
async function predict(
  client: BridgeClient,
  { tasks, label_config, params }: PredictRequest,
): Promise<Prediction[]> {
  const { controls, image } = readInterface(label_config);
  const context = params?.context;
  const drawing = context === undefined ? null : drawingOf(context);
  if (drawing !== null && tasks.length > 1)
    throw new ServiceError("invalid_request", "tasks: something is drawn, so there must be one task.");
  const sources = sourcesOf(client, image, tasks);
  const controlsOf = tasks.map(({ data }) => controlsFor(controls, data));
  const wanted =
    drawing === null
      ? { prompts: [...new Set(controlsOf.flatMap((ofTask) => ofTask.flatMap(({ labels }) => labels)))] }
      : { regions: drawing.regions };
  const version = await versionOf(client);
  const { job, taskIds } = await runJob(client, sources, wanted);
  const predictions: Prediction[] = [];
  for (const [index, taskId] of taskIds.entries()) {
    const found = await foundIn(client, job, taskId);
    predictions.push(predictionOf(found, controlsOf[index] ?? [], drawing?.label ?? null, version));
  }
  return predictions;
}

/** The protocol of Label Studio's ML backends. */
export const labelStudio = new Hono<AppEnv>()
  .use(ifSet("LABEL_STUDIO"))
  .get("/health", (c) =>
    asTool(c, async (client) => c.json({ status: "UP", model_class: await versionOf(client) })),
  )
  .post("/setup", (c) => asTool(c, async (client) => c.json({ model_version: await versionOf(client) })))
  // Nothing is learnt from annotations.
  .post("/webhook", (c) => asTool(c, async () => c.json({ status: "ok", result: {} }, 201)))
  .post("/predict", (c) =>
    asTool(c, async (client) => {
      const results = await predict(client, await readBody(c, PredictRequest, MOST_BYTES));
      return c.json({ results });
    }),
  );
