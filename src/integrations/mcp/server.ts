import {
  type CallToolResult,
  type ContentBlock,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import { encodeBase64 } from "hono/utils/encode";
import { ServiceError } from "../../shared/errors.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { boundAccount } from "../../accounts/operations/authenticate.ts";
import { needing } from "../../shared/storage/database-failure.ts";
import { getAccountOverview, getAccountUsage } from "../../accounts/operations/account.ts";
import { createJobDownload, retrieveJobDownload } from "../../archives/operations/downloads.ts";
import { cancelJob, listJobs } from "../../jobs/operations/jobs.ts";
import { retrieveModel } from "../../models/operations/models.ts";
import { createUploadPresign } from "../../uploads/operations/uploads.ts";
import type { Requester } from "../../segment/operations/requester.ts";
import type { FoundPicture } from "../../segment/operations/found.ts";
import { waitForJob } from "../../segment/operations/wait-for-job.ts";
import { createJobOf, WAIT_SECONDS } from "../jobs.ts";
import { masksOf, URL_SECONDS } from "./masks.ts";
import { SCHEMAS } from "./schemas.ts";

const INSTRUCTIONS = `Finds objects in pictures and videos by words or by places, and gives their masks.
Call segment with a picture and prompts; or with points or a box, in pixels of the picture, which its answer has as width and height.
The answer has a taskId: name it in the next call instead of the picture, which is then not sent and not looked at again.
A job that is still in progress goes on by itself: ask get_job, then get_masks.`;

/** Hints about a tool's effects for the client. */
const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const MAKES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** A result links a larger preview: hosts refuse results of more than about a megabyte. */
const MOST_PREVIEW_BYTES = 700_000;

interface Schemas<Args, Answer> {
  readonly input: StandardSchemaWithJSON<unknown, Args>;
  readonly output: StandardSchemaWithJSON<unknown, Answer>;
}

interface Tool<Args, Answer> {
  readonly title: string;
  readonly description: string;
  readonly hints: ToolAnnotations;
  /** Returns the tool's answer, and additional content. */
  readonly run: (
    args: Args,
    context: ServerContext,
  ) => Promise<{ readonly answer: Answer; readonly shown?: readonly ContentBlock[] }>;
}

/**
 * Creates a server for one request of a client, with the tools of docs/integrations.md.
 * @param refusal the error of a bad picture inside the request, if it has one
 */
export function newServer(client: Requester, requestId: string, refusal: unknown): McpServer {
  const { settings } = client.platform;
  const server = new McpServer(
    { name: "segmentation", title: settings.STUDIO_NAME, version: "1.0.0" },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  const add = <Args, Answer extends Record<string, unknown>>(
    name: string,
    schemas: Schemas<Args, Answer>,
    { title, description, hints, run }: Tool<Args, Answer>,
  ): void => {
    const { input: inputSchema, output: outputSchema } = schemas;
    server.registerTool(
      name,
      { title, description, inputSchema, outputSchema, annotations: { title, ...hints } },
      (args: Args, context: ServerContext) => answered(client, requestId, () => run(args, context)),
    );
  };

  add("segment", SCHEMAS.segment, {
    title: "Segment a picture",
    description:
      "Finds every object that the prompts name in a picture, and draws the object at the points or in the box. Waits up to 55 seconds. Costs one unit per picture, even if nothing is found; of a video one unit per processed frame.",
    hints: { ...MAKES, openWorldHint: true },
    run: async ({ image, prompts, points, box, threshold }, context) => {
      // A picture inside the request is an upload by now, unless it was bad.
      if ("base64" in image) throw refusal ?? new ServiceError("invalid_request", "image: has no picture.");
      const regions = [points && { points, picture: 0 }, box && { box, picture: 0 }].filter(
        (each) => each !== undefined,
      );
      const wanted = { prompts, regions, threshold, generatePreview: true };
      const { jobId } = await createJobOf(client, [image], wanted);
      const { status } = await waitForJob(client, jobId, WAIT_SECONDS, reporter(context));
      const { answer, picture } = await masksOf(client, status, { as: "links", tolerance: 0, from: 0 });
      return { answer, shown: await previewOf(client, picture) };
    },
  });
  add("get_job", SCHEMAS.get_job, {
    title: "Look at a job",
    description: "A job's state and that of its pictures; waits for its end. Free.",
    hints: READS,
    run: async ({ jobId, waitSeconds }, context) => {
      const { status, progress } = await waitForJob(client, jobId, waitSeconds, reporter(context));
      return { answer: { ...status, progress } };
    },
  });
  add("list_jobs", SCHEMAS.list_jobs, {
    title: "List jobs",
    description: "The account's jobs, newest first. Free.",
    hints: READS,
    run: async (query) => ({ answer: await listJobs({ ...client, query }) }),
  });
  add("get_masks", SCHEMAS.get_masks, {
    title: "Get a job's masks",
    description:
      "What a finished job has found in a picture, 25 objects at a time: as links to PNG files, COCO run lengths or polygons. Free.",
    hints: READS,
    run: async ({ jobId, ...how }) => {
      const { status } = await waitForJob(client, jobId, 0);
      return { answer: (await masksOf(client, status, how)).answer };
    },
  });
  add("export", SCHEMAS.export, {
    title: "Export a job",
    description:
      "A link to a zip file with all of a finished job: masks, COCO annotations, previews. Waits for it; call again while its status is pending or processing. Free.",
    hints: { ...MAKES, idempotentHint: true },
    run: async ({ jobId, waitSeconds }) => {
      const begun = await createJobDownload({ ...client, jobId });
      const isOver = begun.status === "ready" || begun.status === "failed" || waitSeconds === 0;
      return { answer: isOver ? begun : await retrieveJobDownload({ ...client, jobId, waitSeconds }) };
    },
  });
  add("cancel_job", SCHEMAS.cancel_job, {
    title: "Cancel a job",
    description:
      "Ends a job: what has not been processed is not charged. A finished job does not change. Free.",
    hints: { ...MAKES, destructiveHint: true, idempotentHint: true },
    run: async ({ jobId }) => ({ answer: await cancelJob({ ...client, jobId }) }),
  });
  add("create_upload", SCHEMAS.create_upload, {
    title: "Create an upload",
    description:
      "A URL to which a file is PUT with its Content-Type, for pictures of more than 5 MB and for videos; then call segment with the taskId. Free.",
    hints: MAKES,
    run: async (body) => ({ answer: await createUploadPresign({ ...client, body }) }),
  });
  add("describe_model", SCHEMAS.describe_model, {
    title: "Describe the model",
    description: "Which words the model knows, and whether it takes points, boxes and videos. Free.",
    hints: READS,
    run: async () => ({ answer: await retrieveModel(client) }),
  });
  add("usage", SCHEMAS.usage, {
    title: "Show the account's usage",
    description: "What the account may do, what is left of its trial, and the units used per day. Free.",
    hints: READS,
    run: async (query) => {
      await boundAccount(client.platform, client.account.accountId);
      const [overview, usage] = await Promise.all([
        getAccountOverview(client),
        getAccountUsage({ ...client, query }),
      ]);
      return { answer: { ...overview, ...usage } };
    },
  });
  return server;
}

/** Reports a job's progress, if the client has asked for it. */
function reporter({
  mcpReq: { _meta: meta, notify },
}: ServerContext): ((progress: number) => Promise<void>) | null {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return null;
  return (progress) =>
    notify({ method: "notifications/progress", params: { progressToken, progress, total: 1 } });
}

/** Returns the preview as the model sees it, or a link to a large preview. */
async function previewOf({ platform }: Requester, picture: FoundPicture | null): Promise<ContentBlock[]> {
  const key = picture?.previewKey ?? null;
  const bytes = key === null ? null : await platform.media.readSmall(key, MOST_PREVIEW_BYTES);
  if (key === null || bytes === null) return [];
  if (bytes !== "larger")
    return [{ type: "image", data: encodeBase64(new Uint8Array(bytes).buffer), mimeType: "image/png" }];
  const uri = await platform.media.signGet(key, URL_SECONDS);
  return [{ type: "resource_link", uri, name: "preview.png", mimeType: "image/png" }];
}

/** Returns a tool's result, even for an error: the model reads how to fix it. */
async function answered(
  { platform }: Requester,
  requestId: string,
  run: () => Promise<{ readonly answer: Record<string, unknown>; readonly shown?: readonly ContentBlock[] }>,
): Promise<CallToolResult> {
  try {
    const { answer, shown = [] } = await needing(platform, platform.database, run);
    return { content: [...shown, { type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
  } catch (error) {
    const wire = error instanceof ServiceError ? error : new ServiceError("internal_error");
    if (wire !== error) log("error", "request_failed", { requestId, reason: reasonOf(error) });
    const hints = Object.keys(wire.hints).length === 0 ? "" : ` ${JSON.stringify(wire.hints)}`;
    return { isError: true, content: [{ type: "text", text: `${wire.code}: ${wire.message}${hints}` }] };
  }
}
