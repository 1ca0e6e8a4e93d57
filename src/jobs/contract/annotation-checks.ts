import { runLengthsOf, withoutCase } from "@segmentation/masks";
import type { z } from "zod";
import type { AnnotatedTask, AnnotationClass } from "./annotated-task.ts";

/** No reader has to hold a larger mask. */
const MOST_PIXELS = 2 ** 28;

type Path = (string | number)[];
type Refuse = (path: Path, message: string) => void;

interface Checked {
  readonly classes: readonly AnnotationClass[];
  readonly nextClassId: number;
  readonly searches: readonly string[];
  readonly tasks: readonly AnnotatedTask[];
}

/** Refuses the second of two items with the same key; undefined is no key. */
function refuseTwice<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | number | undefined,
  refuse: (index: number) => void,
): void {
  const seen = new Set<string | number>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (key === undefined) continue;
    if (seen.has(key)) refuse(index);
    seen.add(key);
  }
}

/** Refuses a document whose parts contradict each other, or whose masks can't be read. */
export function checkDocument(
  { classes, nextClassId, searches, tasks }: Checked,
  context: z.RefinementCtx,
): void {
  const refuse: Refuse = (path, message) => context.addIssue({ code: "custom", path, message });
  const twice = (list: string, field: string, message: string) => (index: number) =>
    refuse([list, index, field], message);
  refuseTwice(classes, ({ id }) => id, twice("classes", "id", "is the id of another class, too"));
  refuseTwice(
    classes,
    // They would become two categories of one thing.
    ({ name }) => withoutCase(name),
    twice("classes", "name", "is the name of another class, too, apart from letter case"),
  );
  refuseTwice(classes, ({ key }) => key, twice("classes", "key", "is the key of another class, too"));
  for (const [index, { id }] of classes.entries())
    if (id >= nextClassId) refuse(["classes", index, "id"], "must be less than nextClassId");
  refuseTwice(
    searches,
    (jobId) => jobId,
    (index) => refuse(["searches", index], "is listed twice"),
  );
  refuseTwice(tasks, ({ taskId }) => taskId, twice("tasks", "taskId", "is listed twice"));
  const ids = new Set(classes.map(({ id }) => id));
  for (const [index, task] of tasks.entries())
    checkTask(task, ids, (path, message) => refuse(["tasks", index, ...path], message));
}

function checkTask(
  { width, height, objects }: AnnotatedTask,
  ids: ReadonlySet<number>,
  refuse: Refuse,
): void {
  if ((width === undefined) !== (height === undefined))
    refuse([width === undefined ? "width" : "height"], "is missing; send both width and height, or neither");
  refuseTwice(
    objects,
    ({ id }) => id,
    (index) => refuse(["objects", index, "id"], "is listed twice"),
  );
  for (const [index, { classId, mask }] of objects.entries()) {
    if (classId !== undefined && !ids.has(classId))
      refuse(["objects", index, "classId"], "is not the id of a class in classes");
    if (mask === undefined) continue;
    const problem = problemOfMask(mask, width, height);
    if (problem !== null) refuse(["objects", index, "mask"], problem);
  }
}

/** Returns why a mask can't be that of a picture of this size; null if it can. */
function problemOfMask(
  { size, counts }: NonNullable<AnnotatedTask["objects"][number]["mask"]>,
  width: number | undefined,
  height: number | undefined,
): string | null {
  const [rows, columns] = size;
  if (rows * columns > MOST_PIXELS) return `must have at most ${MOST_PIXELS} pixels`;
  if (width !== undefined && (rows !== height || columns !== width))
    return "is not of the task's width and height";
  try {
    runLengthsOf({ size, counts });
    return null;
  } catch (error) {
    return error instanceof Error ? `is damaged: ${error.message}` : "is damaged";
  }
}
