import { Hono } from "hono";
import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/context.ts";
import { readBody } from "../../http/read-request.ts";
import { retrieveModel } from "../../services/operations/model.ts";
import { asTool, type BridgeClient, ifSet } from "../client.ts";
import { foundIn } from "../found.ts";
import { runJob } from "../jobs.ts";
import { DrawingContext, drawingOf } from "./context.ts";
import { readInterface } from "./interface.ts";
import { sourcesOf } from "./picture.ts";
import { type Prediction, predictionOf } from "./results.ts";

/** Label Studio sends its tasks with all their annotations. */
const MOST_BYTES = 10_000_000;
const MOST_TASKS = 100;
const MOST_CONFIG_CHARACTERS = 200_000;

const PredictRequest = z.object({
  tasks: z
    .array(z.object({ data: z.record(z.string(), z.unknown()) }))
    .min(1)
    .max(MOST_TASKS),
  label_config: z.string().max(MOST_CONFIG_CHARACTERS),
  params: z.object({ context: DrawingContext.nullish() }).nullish(),
});
type PredictRequest = z.infer<typeof PredictRequest>;

async function versionOf(client: BridgeClient): Promise<string> {
  const { id, version } = await retrieveModel(client);
  return `${id} ${version}`;
}

/** What Label Studio shows for tasks: of what a person has drawn, or else of the interface's labels. */
async function predict(
  client: BridgeClient,
  { tasks, label_config, params }: PredictRequest,
): Promise<Prediction[]> {
  const { controls, imageField } = readInterface(label_config);
  const context = params?.context ?? null;
  const drawing = context === null ? null : drawingOf(context);
  if (drawing !== null && tasks.length > 1)
    throw new ServiceError("invalid_request", "tasks: something is drawn, so there must be one task.");
  const named = tasks.map(({ data }) => data[imageField]);
  const sources = sourcesOf(client, named);
  const wanted =
    drawing === null
      ? { prompts: [...new Set(controls.flatMap(({ labels }) => labels))] }
      : { regions: drawing.regions };
  const version = await versionOf(client);
  const { job, taskIds } = await runJob(client, sources, wanted);
  const predictions: Prediction[] = [];
  for (const taskId of taskIds)
    predictions.push(
      predictionOf(await foundIn(client, job, taskId), controls, drawing?.label ?? null, version),
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
  // Nothing is learnt from annotations.
  .post("/webhook", (c) => asTool(c, async () => c.json({ status: "ok", result: {} }, 201)))
  .post("/predict", (c) =>
    asTool(c, async (client) => {
      const results = await predict(client, await readBody(c, PredictRequest, MOST_BYTES));
      return c.json({ results });
    }),
  );
