import { type Rle, withoutCase } from "@segmentation/masks";
import {
  changesOf,
  type Composition,
  type History,
  NO_EDITS,
  type SetEdit,
  type Step,
} from "../rules/edit-history.ts";
import type { Verdict } from "../rules/review.ts";
import { compositionIn } from "./recipe.ts";
import {
  type AnnotationsDocument,
  type Fields,
  keyOf,
  LONGEST_NAME,
  type ObjectField,
  type Path,
  pathOf,
  type Shape,
} from "./fields.ts";

/** The studio's copy of people's work on an entry. Pictures are named by their tasks. */
export interface AnnotationState {
  /** By task; empty if it is not known. */
  readonly fileNames: ReadonlyMap<string, string>;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly notes: ReadonlyMap<string, string>;
  /** Objects that are accepted. */
  readonly accepted: ReadonlySet<string>;
  readonly histories: ReadonlyMap<string, History>;
  /** By `Instance.object`. */
  readonly hidden: ReadonlySet<string>;
  /** Further jobs of the entry. */
  readonly searches: readonly string[];
  /** Names of the classes in the order of their numbers, from 1; "" for the number of a class that was deleted. */
  readonly classes: readonly string[];
}

/** The masks of edited objects that are composed already, by recipe. */
export type Shapes = ReadonlyMap<string, Rle>;

/** Longer recipes are left out: the mask is enough to go on from. */
const LONGEST_RECIPE = 65_536;

export const recipeOf = (composition: Composition): string => JSON.stringify(composition);

/** Returns the id of an object in the document: `<jobId>/<maskIndex>` of `<jobId>/<taskId>/<maskIndex>`. */
function idIn(taskId: string, object: string): string | null {
  const [jobId = "", task, ...rest] = object.split("/");
  return task === taskId ? [jobId, ...rest].join("/") : null;
}

/** Returns an object's name in the studio. */
function objectOf(taskId: string, id: string): string {
  const [jobId = "", ...rest] = id.split("/");
  return [jobId, taskId, ...rest].join("/");
}

/** Tells whether the state, rather than the document that it is based on, decides a field. */
function isOwn(path: Path, { fileNames }: AnnotationState): boolean {
  if (path[0] === "least") return fileNames.size > 0;
  if (path[0] === "task") return (path[2] === "verdict" || path[2] === "note") && fileNames.has(path[1]);
  return path[0] === "object" && fileNames.has(path[1]);
}

/** Describes a state as the fields of a document. @param base the document that it is based on: the state has no other fields */
export function fieldsOfState(state: AnnotationState, base: Fields, shapes: Shapes): Fields {
  const fields = new Map([...base].filter(([key]) => !isOwn(pathOf(key), state)));
  const put = (path: Path, value: unknown): void => void fields.set(keyOf(path), JSON.stringify(value));
  for (const jobId of state.searches) put(["search", jobId], true);
  for (const [prompt, { least }] of leastOf(state.histories)) put(["least", prompt ?? ""], least);
  for (const [taskId, name] of state.fileNames) if (name !== "") put(["task", taskId, "fileName"], name);
  for (const [taskId, verdict] of state.verdicts)
    if (state.fileNames.has(taskId)) put(["task", taskId, "verdict"], verdict);
  for (const [taskId, note] of state.notes)
    if (state.fileNames.has(taskId)) put(["task", taskId, "note"], note);
  for (const [taskId, history] of state.histories)
    for (const [object, { label, deleted, composition }] of changesOf(history)) {
      const id = idIn(taskId, object);
      if (id === null || !state.fileNames.has(taskId)) continue;
      const of = (field: ObjectField): Path => ["object", taskId, id, field];
      if (label !== undefined) put(of("class"), label);
      if (deleted === true) put(of("deleted"), true);
      if (composition !== undefined)
        put(of("shape"), shapeOf(composition, base.get(keyOf(of("shape"))), shapes));
    }
  for (const field of ["hidden", "accepted"] as const)
    for (const object of state[field]) {
      const taskId = object.split("/")[1] ?? "";
      const id = idIn(taskId, object);
      if (id !== null && state.fileNames.has(taskId)) put(["object", taskId, id, field], true);
    }
  let next = nextIn(base);
  for (const name of state.classes.filter((each) => each !== "")) {
    const path: Path = ["class", withoutCase(name)];
    if (fields.has(keyOf(path)) || name.length > LONGEST_NAME) continue;
    put(path, { id: next, name });
    next += 1;
  }
  return fields;
}

/** Returns the classes of a document by their ids. */
const classesIn = (fields: Fields): AnnotationsDocument["classes"] =>
  [...fields]
    .flatMap(([key, value]) => (pathOf(key)[0] === "class" ? [JSON.parse(value)] : []))
    .toSorted((a, b) => a.id - b.id);

/** Returns the number of a document's next class, which no earlier class has used. */
const nextIn = (fields: Fields): number =>
  Math.max(Number(fields.get(keyOf(["next"])) ?? 1), ...classesIn(fields).map(({ id }) => id + 1));

/** A document with higher numbers comes from a client that does not count its classes. */
const HIGHEST_NUMBER = 5_000;

/** Returns the names of a document's classes by their numbers, so that a deleted class leaves a gap. */
function namesIn(fields: Fields): readonly string[] {
  const classes = classesIn(fields);
  const count = nextIn(fields) - 1;
  if (count > HIGHEST_NUMBER) return classes.map(({ name }) => name);
  const names = Array.from({ length: count }, () => "");
  for (const { id, name } of classes)
    // Two browsers may have added classes at once: the next save tells them apart.
    if (names[id - 1] === "") names[id - 1] = name;
    else names.push(name);
  return names;
}

function shapeOf(composition: Composition, before: string | undefined, shapes: Shapes): Shape {
  const known: Shape | null = before === undefined ? null : JSON.parse(before);
  if (composition.from === "drawn") {
    const { mask } = composition;
    const isKnown = known?.mask?.counts === mask.counts;
    return isKnown ? known : { mask: { size: sizeOf(mask), counts: mask.counts } };
  }
  const recipe = recipeOf(composition);
  const rle = shapes.get(recipe);
  const isKnown = known?.recipe === recipe && (known.mask !== undefined || rle === undefined);
  if (known !== null && (isKnown || (rle === undefined && recipe.length > LONGEST_RECIPE))) return known;
  return {
    ...(rle !== undefined && { mask: { size: sizeOf(rle), counts: rle.counts } }),
    ...(recipe.length <= LONGEST_RECIPE && { recipe }),
  };
}

const sizeOf = ({ size: [height = 0, width = 0] }: Rle): [number, number] => [height, width];

/** The latest lowest confidence of each prompt, over all pictures. */
function leastOf(histories: ReadonlyMap<string, History>): ReadonlyMap<string | null, { least: number }> {
  const said = [...histories.values()].flatMap(({ done }) =>
    done.flatMap(({ edit }) => (edit.type === "least" ? [edit] : [])),
  );
  return new Map(said.toSorted((a, b) => a.at - b.at).map((edit) => [edit.prompt, edit]));
}

/** Changes a state by the differences between two documents. @param now milliseconds since 1970 */
export function withFields(state: AnnotationState, from: Fields, to: Fields, now: number): AnnotationState {
  const fileNames = new Map(state.fileNames);
  const verdicts = new Map(state.verdicts);
  const histories = new Map(state.histories);
  const notes = new Map(state.notes);
  const marks = { hidden: new Set(state.hidden), accepted: new Set(state.accepted) };
  const searches = new Set(state.searches);
  const sets = new Map<string, { taskId: string; edit: SetEdit }>();
  const set = (taskId: string, id: string, news: Partial<SetEdit>): void => {
    const object = objectOf(taskId, id);
    const edit: SetEdit = { ...sets.get(object)?.edit, ...news, type: "set", object };
    sets.set(object, { taskId, edit });
  };
  for (const key of new Set([...from.keys(), ...to.keys()])) {
    const text = to.get(key);
    if (text === from.get(key)) continue;
    const path = pathOf(key);
    const value = text === undefined ? undefined : JSON.parse(text);
    if (path[0] === "search" && value === true) searches.add(path[1]);
    else if (path[0] === "search") searches.delete(path[1]);
    else if (path[0] === "least") {
      const prompt = path[1] || null;
      const [taskId] = fileNames.keys();
      const edit = { type: "least", prompt, least: value, at: now, isOthers: true } as const;
      if (value === undefined)
        for (const [of, history] of histories) histories.set(of, without(history, prompt));
      else if (taskId !== undefined) histories.set(taskId, withStep(histories.get(taskId), edit));
    } else if (path[0] === "task" && path[2] === "fileName" && fileNames.has(path[1]))
      fileNames.set(path[1], value ?? "");
    else if (path[0] === "task" && path[2] === "verdict") {
      if (value === undefined) verdicts.delete(path[1]);
      else verdicts.set(path[1], value);
    } else if (path[0] === "task" && path[2] === "note") {
      if (value === undefined) notes.delete(path[1]);
      else notes.set(path[1], value);
    } else if (path[0] === "object") {
      const [, taskId, id, field] = path;
      if (field === "class") set(taskId, id, { label: value ?? null });
      if (field === "deleted") set(taskId, id, { deleted: value === true });
      if (field === "shape") set(taskId, id, { composition: compositionIn(value) });
      if (field !== "hidden" && field !== "accepted") continue;
      if (value === true) marks[field].add(objectOf(taskId, id));
      else marks[field].delete(objectOf(taskId, id));
    }
  }
  for (const { taskId, edit } of sets.values()) histories.set(taskId, withStep(histories.get(taskId), edit));
  const classes = namesIn(to);
  const names = new Map(classesIn(to).map(({ name }) => [withoutCase(name), name]));
  for (const [taskId, history] of histories) histories.set(taskId, respelled(history, names));
  return { fileNames, verdicts, notes, histories, ...marks, searches: [...searches], classes };
}

type Made = History["done"][number]["edit"];

const without = ({ done, undone }: History, prompt: string | null): History => ({
  done: done.filter(({ edit }) => edit.type !== "least" || edit.prompt !== prompt),
  undone,
});

/** Spells the labels of a history as the classes of the document are. @param names by what their spellings have in common */
function respelled({ done, undone }: History, names: ReadonlyMap<string, string>): History {
  const spelled = (step: Step): Step => {
    const { edit } = step;
    if ((edit.type !== "rename" && edit.type !== "set") || typeof edit.label !== "string") return step;
    const label = names.get(withoutCase(edit.label)) ?? edit.label;
    return label === edit.label ? step : { ...step, edit: { ...edit, label } };
  };
  return { done: done.map(spelled), undone: undone.map(spelled) };
}

/** Changes from elsewhere keep this browser's redo list. */
const withStep = ({ done, undone } = NO_EDITS, edit: Made): History => ({
  done: [...done, { edit, after: 0 }],
  undone,
});
