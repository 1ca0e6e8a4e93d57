import { withoutCase } from "@segmentation/masks";
import type { components } from "segmentation-client";

export type AnnotationsDocument = components["schemas"]["AnnotationsDocument"];
type AnnotatedTask = AnnotationsDocument["tasks"][number];
type AnnotatedObject = AnnotatedTask["objects"][number];

/**
 * A document as independent fields: a change of one field never touches another. The keys are JSON arrays, the
 * values JSON. Classes are fields by their names, and objects name their class, so that two browsers can add classes at once.
 */
export type Fields = ReadonlyMap<string, string>;

/** Path of a field. */
export type Path =
  | readonly ["next"]
  | readonly ["class", name: string]
  | readonly ["search", jobId: string]
  /** Prompt, or "" for all others. */
  | readonly ["least", prompt: string]
  | readonly ["task", taskId: string, "fileName" | "size" | "verdict" | "note" | "thresholds"]
  | readonly ["object", taskId: string, id: string, ObjectField];

export type ObjectField = "class" | "hidden" | "deleted" | "accepted" | "shape";

/** Mask of an edited object, and how the studio made it. */
export type Shape = Pick<AnnotatedObject, "mask" | "recipe">;

export const keyOf = (path: Path): string => JSON.stringify(path);
export function pathOf(key: string): Path {
  const path: Path = JSON.parse(key);
  return path;
}

/** Longer prompts are no classes. */
export const LONGEST_NAME = 100;

/** The document of a job without annotations. */
export const NO_ANNOTATIONS: AnnotationsDocument = {
  format: 1,
  classes: [],
  nextClassId: 1,
  searches: [],
  tasks: [],
};

/** Takes a document apart. */
export function fieldsOf({
  classes,
  nextClassId,
  searches,
  thresholds = [],
  tasks,
}: AnnotationsDocument): Fields {
  const fields = new Map<string, string>();
  const put = (path: Path, value: unknown): void => {
    if (value !== undefined) fields.set(keyOf(path), JSON.stringify(value));
  };
  put(["next"], nextClassId);
  for (const each of classes) put(["class", withoutCase(each.name)], each);
  for (const jobId of searches) put(["search", jobId], true);
  for (const { prompt = "", least } of thresholds) put(["least", prompt], least);
  const names = new Map(classes.map(({ id, name }) => [id, name]));
  for (const { taskId, fileName, verdict, note, width, height, thresholds: own, objects } of tasks) {
    put(["task", taskId, "fileName"], fileName);
    put(["task", taskId, "size"], width === undefined ? undefined : { width, height });
    put(["task", taskId, "verdict"], verdict);
    put(["task", taskId, "note"], note);
    put(["task", taskId, "thresholds"], own);
    for (const { id, classId, hidden, deleted, accepted, mask, recipe } of objects) {
      const isShaped = mask !== undefined || recipe !== undefined;
      put(["object", taskId, id, "class"], classId === undefined ? undefined : names.get(classId));
      put(["object", taskId, id, "hidden"], hidden || undefined);
      put(["object", taskId, id, "deleted"], deleted || undefined);
      put(["object", taskId, id, "accepted"], accepted || undefined);
      put(["object", taskId, id, "shape"], isShaped ? { mask, recipe } : undefined);
    }
  }
  return fields;
}

/** Merges two changes of one document, field by field. Where both changed the same field, the local change is the later one. */
export function merged(base: Fields, local: Fields, remote: Fields): Fields {
  const both = new Map<string, string>();
  for (const key of new Set([...remote.keys(), ...local.keys()])) {
    const value = (local.get(key) === base.get(key) ? remote : local).get(key);
    if (value !== undefined) both.set(key, value);
  }
  const next = Math.max(...[local, remote].map((each) => Number(each.get(keyOf(["next"])) ?? 1)));
  return both.set(keyOf(["next"]), String(next));
}

/** Tells whether two documents say the same. */
export const areSame = (a: Fields, b: Fields): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);

/** Puts a document together. @param prompts words that become classes, before those of objects */
export function documentOf(fields: Fields, prompts: readonly string[]): AnnotationsDocument {
  const classes = new Classes(Number(fields.get(keyOf(["next"])) ?? 1));
  const searches: string[] = [];
  const thresholds: { prompt?: string; least: number }[] = [];
  const tasks = new Map<string, AnnotatedTask>();
  const objects = new Map<string, AnnotatedObject>();
  const task = (taskId: string): AnnotatedTask => {
    const there = tasks.get(taskId) ?? { taskId, objects: [] };
    tasks.set(taskId, there);
    return there;
  };
  const entries = [...fields].map(([key, value]) => ({ path: pathOf(key), value: JSON.parse(value) }));
  for (const { path, value } of entries) if (path[0] === "class") classes.take(value);
  for (const prompt of prompts) if (prompt.length <= LONGEST_NAME) classes.idOf(prompt);
  for (const { path, value } of entries)
    switch (path[0]) {
      case "search":
        searches.push(path[1]);
        break;
      case "least":
        thresholds.push({ ...(path[1] !== "" && { prompt: path[1] }), least: value });
        break;
      case "task":
        Object.assign(task(path[1]), path[2] === "size" ? value : { [path[2]]: value });
        break;
      case "object": {
        const [, taskId, id, field] = path;
        const key = JSON.stringify([taskId, id]);
        const object = objects.get(key) ?? { id };
        if (!objects.has(key)) task(taskId).objects.push(object);
        objects.set(key, object);
        if (field === "class") object.classId = classes.idOf(value);
        else Object.assign(object, field === "shape" ? value : { [field]: value });
        break;
      }
      case "class":
      case "next":
    }
  return {
    format: 1,
    classes: classes.all,
    nextClassId: classes.next,
    searches,
    ...(thresholds.length > 0 && { thresholds }),
    tasks: [...tasks.values()],
  };
}

type AnnotationClass = AnnotationsDocument["classes"][number];

/** Classes with one id and one key each. */
class Classes {
  readonly all: AnnotationClass[] = [];
  next: number;

  constructor(next: number) {
    this.next = next;
  }

  /** Takes a class. Its id is another one's if two browsers added classes at once: then it gets the next one. */
  take({ key, ...given }: AnnotationClass): void {
    const isTaken = this.all.some(({ id }) => id === given.id);
    const id = isTaken ? this.next : given.id;
    this.next = Math.max(this.next, id + 1);
    const isFree = key !== undefined && !this.all.some((each) => each.key === key);
    this.all.push({ ...given, id, ...(isFree && { key }) });
  }

  /** Returns the id of a class by its name, which becomes a class if it is not one. */
  idOf(name: string): number {
    const there = this.all.find((each) => withoutCase(each.name) === withoutCase(name));
    if (there !== undefined) return there.id;
    this.take({ id: this.next, name });
    return this.next - 1;
  }
}
