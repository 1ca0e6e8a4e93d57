import type { z } from "zod";

/** A JSON Schema, as zod gives it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Meanings of fields that mean the same in every object, or whose schema has no description: by their names, or by `Schema.name`
 * for a special meaning in one object.
 */
const MEANINGS: Readonly<Record<string, string>> = {
  accountId: "The account's id.",
  accessStatus: "`blocked` if no jobs may be created because of an overdue payment, else `allowed`.",
  activeJobId: "The trial's job in progress; null if there is none.",
  apiKey: "The key, without its secret.",
  assets: "All files of the result, by their keys. Each URL is signed.",
  "WebhookDelivery.attempts": "The attempts so far, earliest first.",
  "Model.box": "True if regions may be boxes.",
  bucket: "The bucket that the file goes to.",
  canCreateJobs: "True if the account may create a job now.",
  confidence: "The model's confidence, 0 to 1.",
  consumedTokens: "Tokens that are used or reserved.",
  counts: "Numbers of frames and masks.",
  "WebhookEvent.data": "Subject of the event: the job's status, or the archive.",
  "WebhookEndpoint.description": "The account's note about it; null if it has none.",
  "WebhookEndpoint.disabled": "True if it is disabled: it receives no events.",
  downloadsAllowed: "True if the account may request zips.",
  durationDays: "For how many days the trial lasts.",
  email: "The account's e-mail address.",
  emailVerified: "True if the address is verified.",
  endpoint: "The endpoint, without its secret.",
  endpointId: "The webhook endpoint's id.",
  error:
    "Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve; null if nothing is wrong.",
  "WebhookEndpoint.events": "The types of events that it receives; null for all.",
  expiresIn: "For how many seconds the URL is valid.",
  fps: "The request's frames per second.",
  framesProcessed: "Number of processed frames.",
  framesWithMasks: "Number of processed frames with masks.",
  grantTokens: "Tokens that the trial has in all.",
  "Model.id": "The model's name.",
  "Account.image": "The URL of the account's picture; null if it has none.",
  inputId: "The upload's id, like taskId.",
  items: "The items, in order; of a list, one page of them.",
  jobId: "The job's id.",
  "JobResult.key": "The file's name among the job's: `masks/{taskId}/{index}.png`, for example.",
  keyId: "The key's id.",
  label: "Name of the key.",
  latestInvoiceStatus: "The latest invoice's status, in the payment provider's words.",
  manifest: "Results, task by task.",
  maskIndex: "The mask's place among the task's, from 0.",
  masks: "The masks: by prompt, then by falling confidence; of a video, the URL of masks.json.",
  maxActiveJobs: "Maximum number of jobs in progress.",
  maxFrames: "The request's bound of frames.",
  maxImageTasksPerJob: "Maximum number of images per job.",
  "AccountAccess.mode": "Rights of the account: all, those of the trial, or none.",
  nextToken: "The cursor of the next page; null on the last one.",
  numFrames: "The request's number of frames.",
  offerVersion: "Version of the trial's offer.",
  "Model.points": "True if regions may be points.",
  previewUrl: "The signed URL of the preview, if the job has one.",
  prompts: "The request's prompts, in order, each once.",
  "AccountAccess.reason": "Why the account has this mode.",
  remainingTokens: "Tokens left in the free trial.",
  revoked: "True if the key is revoked.",
  scoreThreshold: "The request's threshold of confidence.",
  "AccountTrial.status": "State of the trial.",
  "ArchiveDownload.status": "State of the archive.",
  "ArchiveEventData.status": "State of the archive.",
  "Account.status": "State of the account.",
  stripeSubscriptionStatus: "The subscription's status, in the payment provider's words.",
  tasks: "The tasks, in the order of the request.",
  tokenUsageLast24h: "Images and frames that were processed in the last 24 hours.",
  totalItems: "Number of tasks in the job.",
  totalMasks: "Number of masks.",
  trial: "Remaining free trial, for an account that has one.",
  type: "Type of the job: images or a video.",
  "WebhookEvent.type": "Type of the event.",
  units: "Charged units: one for an image, one for each processed frame.",
  "ImageManifest.url": "The signed URL of the mask.",
  "JobResult.url": "The signed URL of the file.",
  "BillingUrl.url": "The page to open, at the payment provider.",
  "WebhookEndpoint.url": "URL that receives the events.",
  "Model.version": "The model's version.",
  videoAllowed: "True if the account may segment videos.",
  "RegionPoint.x": "Pixels from the left.",
  "RegionPoint.y": "Pixels from the top.",
};

type Schemas = Readonly<Record<string, JsonSchema>>;

const descriptionOf = (schemas: Schemas, { description, $ref }: JsonSchema): string | undefined =>
  description ?? schemas[$ref?.split("/").at(-1) ?? ""]?.description;

/**
 * Gives a description to each field of a named schema, and of the objects in it, that has none: editors show a field's
 * description, but not that of the schema to which it refers.
 * @throws if there is none
 */
export function describeFields(name: string, schema: JsonSchema, schemas: Schemas): void {
  const { items, anyOf = [], oneOf = [], allOf = [], properties = {} } = schema;
  for (const [field, value] of Object.entries(properties)) {
    if (typeof value === "boolean") continue;
    const variants = [...(value.anyOf ?? []), ...(value.oneOf ?? [])].filter(
      (each) => typeof each !== "boolean",
    );
    const meaning =
      [value, ...variants].map((each) => descriptionOf(schemas, each)).find((each) => each !== undefined) ??
      MEANINGS[`${name}.${field}`] ??
      MEANINGS[field];
    if (meaning === undefined) throw new Error(`What ${name}.${field} means is not said anywhere.`);
    value.description = meaning;
    describeFields(name, value, schemas);
  }
  for (const each of [items, ...anyOf, ...oneOf, ...allOf].flat())
    if (typeof each === "object") describeFields(name, each, schemas);
}
