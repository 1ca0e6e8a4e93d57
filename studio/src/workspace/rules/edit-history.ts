import type { Instance } from "./instances.ts";

/** A stroke of the brush, or of the eraser: a line with round ends. */
export interface Stroke {
  readonly mode: "brush" | "eraser";
  /** In pixels of the picture. */
  readonly radius: number;
  /** x, y, x, y, … in pixels of the picture; one point is a dot. */
  readonly points: readonly number[];
}

/** Edit of a picture's objects, which are named as in `Instance.object`. */
export type Edit =
  | { readonly type: "rename"; readonly object: string; readonly label: string }
  | { readonly type: "delete"; readonly object: string }
  /** They become one: the first. */
  | { readonly type: "merge"; readonly objects: readonly string[] }
  /** Its connected parts become objects: the largest one stays what it was, `others` names those that follow. */
  | { readonly type: "split"; readonly object: string; readonly others: readonly string[] }
  | { readonly type: "paint"; readonly object: string; readonly stroke: Stroke }
  /** From which confidence on, 0 to 1, objects of a prompt (null: of all) are shown, in all pictures; `at` in milliseconds since 1970. */
  | { readonly type: "least"; readonly prompt: string | null; readonly least: number; readonly at: number };

/** Edits of a picture's objects: done, and undone but repeatable. */
export interface History {
  readonly done: readonly Step[];
  readonly undone: readonly Step[];
}

/** Edit with its time: after the attempt of this number at pointing at an object, 0 for none. */
export interface Step {
  readonly edit: Edit;
  readonly after: number;
}

export const NO_EDITS: History = { done: [], undone: [] };

/** Adds an edit and drops the undone ones. Consecutive changes of one confidence are one edit. */
export function withEdit({ done }: History, edit: Edit, after: number): History {
  const last = done.at(-1);
  const isAgain =
    last?.edit.type === "least" &&
    edit.type === "least" &&
    last.edit.prompt === edit.prompt &&
    last.after === after;
  return { done: [...(isAgain ? done.slice(0, -1) : done), { edit, after }], undone: [] };
}

/** Tells whether an edit concerns visible objects, so that undo and redo apply to it. */
export type IsSeen = (edit: Edit) => boolean;

/** Accepts the edits that change nothing that one of these other searches has found. */
export const seenWithout =
  (others: readonly string[]): IsSeen =>
  (edit) =>
    !objectsIn(edit).some((object) => others.includes(object.split("/")[0] ?? ""));

const objectsIn = (edit: Edit): readonly string[] => {
  if (edit.type === "least") return [];
  return edit.type === "merge" ? edit.objects : [edit.object];
};

/** Undoes the last edit, if there is one. */
export function undo({ done, undone }: History, isSeen: IsSeen = () => true): History {
  const last = done.findLast(({ edit }) => isSeen(edit));
  return last === undefined
    ? { done, undone }
    : { done: done.filter((step) => step !== last), undone: [...undone, last] };
}

/** Redoes the edit that was undone last, if there is one. */
export function redo({ done, undone }: History, isSeen: IsSeen = () => true): History {
  const last = undone.findLast(({ edit }) => isSeen(edit));
  return last === undefined
    ? { done, undone }
    : { done: [...done, last], undone: undone.filter((step) => step !== last) };
}

/** Composition of a mask from those that jobs have found. */
export type Composition =
  | { readonly from: "found"; readonly object: string }
  | { readonly from: "union"; readonly of: readonly Composition[] }
  /** One of the connected parts, from 0, the largest first; the last one has all that are smaller, too. */
  | { readonly from: "part"; readonly of: Composition; readonly part: number; readonly parts: number }
  | { readonly from: "strokes"; readonly of: Composition; readonly strokes: readonly Stroke[] };

/** Object after all edits, with the composition of its mask; null if the mask is unchanged. */
export interface EditedObject {
  readonly instance: Instance;
  readonly composition: Composition | null;
}

const compositionOf = ({ instance, composition }: EditedObject): Composition =>
  composition ?? { from: "found", object: instance.object };

function painted(object: EditedObject, stroke: Stroke): Composition {
  const before = compositionOf(object);
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

/** Applies a person's edits to the objects of a picture. An edit of a missing object changes nothing. */
export function edited(found: readonly Instance[], { done }: History): readonly EditedObject[] {
  const numbers = new Numbers(found);
  let objects: readonly EditedObject[] = found.map((instance) => ({ instance, composition: null }));
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
      return replacedBy({ ...target, composition: painted(target, edit.stroke) });
    case "merge": {
      const merged = objects.filter((object) => edit.objects.includes(object.instance.object));
      if (merged.length < 2) return objects;
      const confidence = Math.max(...merged.map((object) => object.instance.confidence));
      const one = {
        instance: { ...instance, confidence },
        composition: { from: "union", of: merged.map(compositionOf) } as const,
      };
      return replacedBy(one).filter((object) => object === one || !merged.includes(object));
    }
    case "split": {
      const [of, parts] = [compositionOf(target), edit.others.length + 1];
      const part = (index: number): Composition => ({ from: "part", of, part: index, parts });
      const others = edit.others.map((object, i) => {
        const number = numbers.next(instance.label);
        return { instance: { ...instance, object, number }, composition: part(i + 1) };
      });
      return replacedBy({ ...target, composition: part(0) }, ...others);
    }
  }
}

/** Returns the distinct names that people gave in these histories, the oldest first. */
export const namesGiven = (histories: Iterable<History>): readonly string[] => [
  ...new Set(
    [...histories].flatMap(({ done }) =>
      done.flatMap(({ edit }) => (edit.type === "rename" ? [edit.label] : [])),
    ),
  ),
];

/** Minimum confidence by prompt, for the prompts that have their own, and of all others by null; the latest edit counts. */
export function leastsOf(histories: Iterable<History>): ReadonlyMap<string | null, number> {
  const said = [...histories].flatMap(({ done }) =>
    done.flatMap(({ edit }) => (edit.type === "least" ? [edit] : [])),
  );
  return new Map(said.toSorted((a, b) => a.at - b.at).map(({ prompt, least }) => [prompt, least]));
}
