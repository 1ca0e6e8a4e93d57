import { decodeRle, measureMask, packMask, withoutCase } from "@segmentation/masks";
import type { AnnotationsDocument, JobStatus } from "../schemas.ts";
import { CategoryIds, categoryOf, type CocoAnnotation, type CocoDocument, type CocoImage } from "./coco.ts";
import type { Mask } from "./mask.ts";
import type { Picture } from "./picture.ts";

type Task = AnnotationsDocument["tasks"][number];
type Change = Task["objects"][number];

/** A job's pictures with their masks. */
export interface FoundPictures {
  readonly jobId: string;
  readonly pictures: readonly Picture[];
}

/** An object as people left it. */
interface AnnotatedObject extends Pick<CocoAnnotation, "bbox" | "area" | "score" | "segmentation"> {
  readonly name: string;
  readonly image_id: number;
}

/**
 * Makes the COCO document of a job's pictures as people left them. Its categories are the classes with their ids, then other names.
 * @param searches pictures of the further jobs that the annotations name
 */
export async function annotatedCoco(
  result: FoundPictures & { readonly job: JobStatus; readonly prompts: readonly string[] },
  searches: readonly FoundPictures[],
  document: AnnotationsDocument,
): Promise<CocoDocument> {
  const classes = new Map(document.classes.map(({ id, name }) => [id, name]));
  const classNamed = new Map(document.classes.map(({ name }) => [withoutCase(name), name]));
  const nameOf = (change: Change | undefined, own: string): string =>
    classes.get(change?.classId ?? 0) ?? classNamed.get(withoutCase(own)) ?? own;

  const found = await Promise.all(
    [result, ...searches].flatMap(({ jobId, pictures }) =>
      pictures.map(async (picture) => ({ jobId, picture, coco: await picture.coco() })),
    ),
  );
  const images: CocoImage[] = [];
  const objects: AnnotatedObject[] = [];
  for (const { taskId, name } of result.pictures) {
    const task = document.tasks.find((each) => each.taskId === taskId);
    if (task?.verdict === "rejected") continue;
    const changes = new Map(task?.objects.map((object) => [object.id, object]));
    const own = found.filter(({ picture }) => picture.taskId === taskId);
    const all: AnnotatedObject[] = [];
    const image_id = images.length + 1;
    for (const { jobId, picture, coco } of own)
      for (const mask of picture.masks) {
        const id = `${jobId}/${mask.index}`;
        const change = changes.get(id);
        changes.delete(id);
        const object = coco.annotations[mask.index];
        if (object === undefined || !isShown(mask, change, document, task)) continue;
        all.push({ ...object, ...shapeOf(change), name: nameOf(change, categoryOf(mask)), image_id });
      }
    for (const change of changes.values()) {
      const shape = shapeOf(change);
      if (shape && !change.deleted && !change.hidden)
        all.push({ ...shape, score: 1, name: nameOf(change, categoryOf({})), image_id });
    }
    const kept = all.filter(({ area }) => area > 0);
    const hasFailed = result.job.tasks.some((each) => each.taskId === taskId && each.status === "failed");
    const sizes = [
      ...kept.map(({ segmentation: { size } }) => ({ height: size[0], width: size[1] })),
      ...own.flatMap(({ coco }) => coco.images),
    ];
    const { width, height } = sizes[0] ?? (hasFailed ? {} : (task ?? {}));
    if (width === undefined || height === undefined) continue;
    const file_name = name === taskId ? (task?.fileName ?? name) : name;
    images.push({ id: image_id, file_name, width, height });
    objects.push(...kept);
  }

  const ids = new CategoryIds(
    document.classes.map(({ id, name }) => ({ id, name })),
    document.nextClassId,
  );
  const used = new Set(objects.map(({ name }) => name));
  for (const prompt of result.prompts) if (classes.size === 0 || used.has(prompt)) ids.of(prompt);
  const annotations = objects.map(({ name, image_id, bbox, area, score, segmentation }, i) => ({
    id: i + 1,
    image_id,
    category_id: ids.of(name),
    bbox,
    area,
    score,
    iscrowd: 0 as const,
    segmentation,
  }));
  return { images, categories: ids.all, annotations };
}

/** Tells whether an object of a result is left: a threshold hides it unless a person has accepted it. */
function isShown(
  { prompt, confidence }: Mask,
  change: Change | undefined,
  document: AnnotationsDocument,
  task: Task | undefined,
): boolean {
  if (change?.deleted || change?.hidden) return false;
  if (change?.accepted || prompt === undefined) return true;
  const thresholds = [...(task?.thresholds ?? []), ...(document.thresholds ?? [])];
  const own =
    thresholds.find((each) => each.prompt === prompt) ?? thresholds.find((each) => each.prompt === undefined);
  return confidence >= (own?.least ?? 0);
}

/** Measures the mask of a change; undefined if the object has the result's. */
function shapeOf(change: Change | undefined) {
  if (change?.mask === undefined) return undefined;
  const { area, box } = measureMask(packMask(decodeRle(change.mask)));
  return { bbox: box, area, segmentation: change.mask };
}
