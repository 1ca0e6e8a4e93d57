import { polygonsOfRuns, runsOfRle } from "@segmentation/masks";
import { OUTPUTS } from "@segmentation/protocol";
import type { JobStatus } from "../../jobs/contract/job.ts";
import { ServiceError } from "../../shared/errors.ts";
import { outputKey } from "../../shared/bucket/object-keys.ts";
import { finishedPage } from "../../jobs/operations/jobs.ts";
import type { Requester } from "../../segment/operations/requester.ts";
import { foundIn, type FoundObject, type FoundPicture } from "../../segment/operations/found.ts";
import type { FoundMask, MasksAnswer, MasksArguments } from "./schemas.ts";

/** Maximum objects in one answer. */
const MOST_OBJECTS = 25;
/** Maximum characters in one answer: a model has to read it. */
const MOST_CHARACTERS = 100_000;
/** Validity of the signed URLs in an answer. */
export const URL_SECONDS = 900;

/** Returns the objects of a job's picture from one on, up to the limits of one answer, with their picture. */
export async function masksOf(
  client: Requester,
  status: JobStatus,
  { taskId: named, as, tolerance, from }: Omit<MasksArguments, "jobId">,
): Promise<{ readonly answer: MasksAnswer; readonly picture: FoundPicture | null }> {
  const { jobId, error } = status;
  const task = status.tasks.find((each) => named === undefined || each.taskId === named);
  if (task === undefined)
    throw new ServiceError("invalid_request", "taskId: is not one of the job's. get_job lists them.");
  const { taskId } = task;
  const none = { width: null, height: null, objects: [], nextFrom: null };
  const head = { jobId, taskId, status: status.status, error: error ?? task.error };
  if (task.status !== "success" || status.status !== "success")
    return { answer: { ...head, ...none }, picture: null };
  const { accountId } = client.account;
  const job = await finishedPage(client.platform, accountId, jobId, { from: status.tasks.indexOf(task) });
  const picture = await foundIn(client, job, taskId);
  const signer = await client.platform.media.signGets(URL_SECONDS);
  const urlOf = async (key: string) => signer.url(key, await signer.signature(key));
  if (picture === null) {
    const finished = job.tasks.find((each) => each.taskId === taskId);
    if (finished?.output.type !== "video") return { answer: { ...head, ...none }, picture };
    const { units: framesProcessed, framesWithMasks, totalMasks } = finished.output;
    const masksUrl = await urlOf(outputKey(job.definition, taskId, finished.lease, OUTPUTS.video.masks.name));
    const clip = { framesProcessed, framesWithMasks, totalMasks, masksUrl };
    return { answer: { ...head, ...none, clip }, picture };
  }
  if (picture.size === null && as !== "links")
    throw new ServiceError(
      "invalid_request",
      "as: the job has no COCO annotations, from which shapes are read. Ask for `links`, or create the job again with segment.",
    );
  const objects: FoundMask[] = [];
  let characters = 0;
  for (const object of picture.objects.slice(from, from + MOST_OBJECTS)) {
    const mask = {
      ...described(object),
      ...(as === "links" ? { maskUrl: await urlOf(object.maskKey) } : shapeOf(object, as, tolerance)),
    };
    characters += JSON.stringify(mask).length;
    if (characters > MOST_CHARACTERS && objects.length > 0) break;
    objects.push(mask);
  }
  const next = from + objects.length;
  const nextFrom = next < picture.objects.length ? next : null;
  const { width = null, height = null } = picture.size ?? {};
  return { answer: { ...head, width, height, objects, nextFrom }, picture };
}

const described = ({ index, by, confidence, shape }: FoundObject): FoundMask => ({
  index,
  ...by,
  confidence,
  box: shape && [...shape.box],
  area: shape && shape.area,
});

function shapeOf({ shape }: FoundObject, as: "rle" | "polygons", tolerance: number): Partial<FoundMask> {
  if (shape === null) return {};
  if (as === "rle") return { rle: { size: [...shape.rle.size], counts: shape.rle.counts } };
  const parts = polygonsOfRuns(runsOfRle(shape.rle), tolerance);
  const rings = parts.flatMap(({ outline, holes }) => [outline].concat(holes));
  return { polygons: rings.map((ring) => ring.slice()) };
}
