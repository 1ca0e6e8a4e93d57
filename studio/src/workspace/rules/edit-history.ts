import type { Instance } from "./instances.ts";

/** A stroke of the brush, or of the eraser: a line with round ends. */
export interface Stroke {
  readonly mode: "brush" | "eraser";
  /** In pixels of the picture. */
  readonly radius: number;
  /** x, y, x, y, … in pixels of the picture; one point is a dot. */
  readonly points: readonly number[];
}

/** Something that a person has changed of a picture's objects, which are named as `Instance.object` does. */
export type Edit =
  | { readonly type: "rename"; readonly object: string; readonly label: string }
  | { readonly type: "delete"; readonly object: string }
  /** They become one: the first. */
  | { readonly type: "merge"; readonly objects: readonly string[] }
  /** Its connected parts become objects: the largest one stays what it was, `others` names those that follow. */
  | { readonly type: "split"; readonly object: string; readonly others: readonly string[] }
  | { readonly type: "paint"; readonly object: string; readonly stroke: Stroke }
  /** From which confidence on, 0 to 1, objects of a prompt are shown, in all pictures; `at` in milliseconds since 1970. */
  | { readonly type: "least"; readonly prompt: string; readonly least: number; readonly at: number };

/** What a person has changed of a picture's objects, and what of it is taken back and may come again. */
export interface History {
  readonly done: readonly Step[];
  readonly undone: readonly Step[];
}

/** An edit, and when it was made: after the attempt of this number at pointing at an object, 0 for none. */
export interface Step {
  readonly edit: Edit;
  readonly after: number;
}

export const NO_EDITS: History = { done: [], undone: [] };

/** With one edit more. What was taken back is gone. A confidence that is changed again and again is one edit. */
export function withEdit({ done }: History, edit: Edit, after: number): History {
  const last = done.at(-1);
  const isAgain =
    last?.edit.type === "least" &&
    edit.type === "least" &&
    last.edit.prompt === edit.prompt &&
    last.after === after;
  return { done: [...(isAgain ? done.slice(0, -1) : done), { edit, after }], undone: [] };
}

/** Which edits there are to be taken back or to come again: those of what is seen. */
export type IsSeen = (edit: Edit) => boolean;

/** The edits that change nothing that another of these searches has found. */
export const seenWithout =
  (others: readonly string[]): IsSeen =>
  (edit) =>
    !objectsIn(edit).some((object) => others.includes(object.split("/")[0] ?? ""));

const objectsIn = (edit: Edit): readonly string[] => {
  if (edit.type === "least") return [];
  return edit.type === "merge" ? edit.objects : [edit.object];
};

/** With the last edit taken back; the same if there is none. */
export function undo({ done, undone }: History, isSeen: IsSeen = () => true): History {
  const last = done.findLast(({ edit }) => isSeen(edit));
  return last === undefined
    ? { done, undone }
    : { done: done.filter((step) => step !== last), undone: [...undone, last] };
}

/** With what was taken back last; the same if nothing was. */
export function redo({ done, undone }: History, isSeen: IsSeen = () => true): History {
  const last = undone.findLast(({ edit }) => isSeen(edit));
  return last === undefined
    ? { done, undone }
    : { done: [...done, last], undone: undone.filter((step) => step !== last) };
}

/** How a mask is made of those that jobs have found. */
export type Recipe =
  | { readonly from: "found"; readonly object: string }
  | { readonly from: "union"; readonly of: readonly Recipe[] }
  /** One of the connected parts, from 0, the largest first; the last one has all that are smaller, too. */
  | { readonly from: "part"; readonly of: Recipe; readonly part: number; readonly parts: number }
  | { readonly from: "strokes"; readonly of: Recipe; readonly strokes: readonly Stroke[] };

/** An object after all edits: its mask is made by the recipe; null if it is as it was found. */
export interface EditedObject {
  readonly instance: Instance;
  readonly recipe: Recipe | null;
}

const recipeOf = ({ instance, recipe }: EditedObject): Recipe =>
  recipe ?? { from: "found", object: instance.object };

function painted(object: EditedObject, stroke: Stroke): Recipe {
  const before = recipeOf(object);
  return before.from === "strokes"
    ? { ...before, strokes: [...before.strokes, stroke] }
    : { from: "strokes", of: before, strokes: [stroke] };
}

/** The numbers of objects are those of their labels, each given once, so that an object keeps its name whatever becomes of others. */
class Numbers {
  readonly #last = new Map<string | null, number>();

  constructor(found: readonly Instance[]) {
    for (const { label, number } of found)
      this.#last.set(label, Math.max(number, this.#last.get(label) ?? 0));
  }

  next(label: string | null): number {
    const number = 1 + (this.#last.get(label) ?? 0);
    this.#last.set(label, number);
    return number;
  }
}

/** The objects of a picture after a person's edits. An edit of what is not there changes nothing. */
export function edited(found: readonly Instance[], { done }: History): readonly EditedObject[] {
  const numbers = new Numbers(found);
  let objects: readonly EditedObject[] = found.map((instance) => ({ instance, recipe: null }));
  for (const { edit } of done) objects = applied(objects, edit, numbers);
  return objects;
}

function applied(objects: readonly EditedObject[], edit: Edit, numbers: Numbers): readonly EditedObject[] {
  const named = (name: string) => objects.find(({ instance }) => instance.object === name);
  const target = named(objectsIn(edit)[0] ?? "");
  if (target === undefined || edit.type === "least") return objects;
  const { instance } = target;
  const replacedBy = (...others: readonly EditedObject[]) =>
    objects.flatMap((object) => (object === target ? others : [object]));
  switch (edit.type) {
    case "rename": {
      const { label } = edit;
      if (label === instance.label) return objects;
      return replacedBy({ ...target, instance: { ...instance, label, number: numbers.next(label) } });
    }
    case "delete":
      return replacedBy();
    case "paint":
      return replacedBy({ ...target, recipe: painted(target, edit.stroke) });
    case "merge": {
      const merged = objects.filter((object) => edit.objects.includes(object.instance.object));
      if (merged.length < 2) return objects;
      const confidence = Math.max(...merged.map((object) => object.instance.confidence));
      const one = {
        instance: { ...instance, confidence },
        recipe: { from: "union", of: merged.map(recipeOf) } as const,
      };
      return replacedBy(one).filter((object) => object === one || !merged.includes(object));
    }
    case "split": {
      const [of, parts] = [recipeOf(target), edit.others.length + 1];
      const part = (index: number): Recipe => ({ from: "part", of, part: index, parts });
      const others = edit.others.map((object, i) => {
        const number = numbers.next(instance.label);
        return { instance: { ...instance, object, number }, recipe: part(i + 1) };
      });
      return replacedBy({ ...target, recipe: part(0) }, ...others);
    }
  }
}

/** The names that people have given in these histories, each once, in the order in which they came. */
export const namesGiven = (histories: Iterable<History>): readonly string[] => [
  ...new Set(
    [...histories].flatMap(({ done }) =>
      done.flatMap(({ edit }) => (edit.type === "rename" ? [edit.label] : [])),
    ),
  ),
];

/** From which confidence on objects of a prompt are shown, of the prompts for which somebody has said it: what was said last. */
export function leastsOf(histories: Iterable<History>): ReadonlyMap<string, number> {
  const said = [...histories].flatMap(({ done }) =>
    done.flatMap(({ edit }) => (edit.type === "least" ? [edit] : [])),
  );
  return new Map(said.toSorted((a, b) => a.at - b.at).map(({ prompt, least }) => [prompt, least]));
}
