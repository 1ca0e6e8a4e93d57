import type { Rle } from "@segmentation/masks";
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
  /** Its connected parts become objects: the largest one keeps its identity, `others` names the rest. */
  | { readonly type: "split"; readonly object: string; readonly others: readonly string[] }
  | { readonly type: "paint"; readonly object: string; readonly stroke: Stroke }
  | LeastEdit
  | SetEdit;

/** From which confidence on, 0 to 1, objects of a prompt are shown, in all pictures. */
interface LeastEdit {
  readonly type: "least";
  /** Null of all prompts. */
  readonly prompt: string | null;
  readonly least: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** It was made in another browser. */
  readonly isOthers?: true;
}

/** An object's fields as another browser saved them, or as this one read them: absent is unchanged, null is as found. */
export interface SetEdit {
  readonly type: "set";
  readonly object: string;
  readonly label?: string | null;
  readonly deleted?: boolean;
  readonly composition?: Composition | null;
}

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
    isOwn(last.edit) &&
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

const isOwn = (edit: Edit): boolean => edit.type !== "set" && !("isOthers" in edit);

/** Undoes the last edit, if there is one. */
export function undo({ done, undone }: History, isSeen: IsSeen = () => true): History {
  const seen = done.filter(({ edit }) => isSeen(edit));
  // Local edits first; others' and earlier ones come after that.
  const last = seen.findLast(({ edit }) => isOwn(edit)) ?? seen.at(-1);
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
  /** As another client has drawn it. */
  | { readonly from: "drawn"; readonly mask: Rle }
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

/** The numbers of objects are those of their labels, each given once, so an object keeps its name when others change. */
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

/** Object that may be deleted: another browser may bring it back. */
interface Kept extends EditedObject {
  readonly isDeleted?: boolean;
}

/** Applies a person's edits to the objects of a picture. An edit of a missing object changes nothing. */
export const edited = (found: readonly Instance[], history: History): readonly EditedObject[] =>
  allEdited(found, history).filter(({ isDeleted = false }) => !isDeleted);

function allEdited(found: readonly Instance[], { done }: History): readonly Kept[] {
  const numbers = new Numbers(found);
  let objects: readonly Kept[] = found.map((instance) => ({ instance, composition: null }));
  for (const { edit } of done)
    objects = edit.type === "set" ? set(objects, edit, numbers, found) : applied(objects, edit, numbers);
  return objects;
}

/** Takes another browser's changes of an object; an added object is like its origin. */
function set(
  objects: readonly Kept[],
  { object, label, deleted: wantsDeleted, composition }: SetEdit,
  numbers: Numbers,
  found: readonly Instance[],
): readonly Kept[] {
  const first = found.find((instance) => instance.object === object);
  const there = objects.find(({ instance }) => instance.object === object);
  const source = found.find((instance) => object.startsWith(`${instance.object}~`)) ?? found[0];
  if (there === undefined && (composition === undefined || composition === null || source === undefined))
    return objects;
  const before: Kept | undefined =
    there ??
    (source && {
      instance: { ...source, object, number: numbers.next(source.label) },
      composition: null,
    });
  if (before === undefined) return objects;
  const wanted = label === null ? (first?.label ?? null) : label;
  const isRenamed = wanted !== undefined && wanted !== before.instance.label;
  const number = wanted === first?.label ? first?.number : undefined;
  const after: Kept = {
    instance: isRenamed
      ? { ...before.instance, label: wanted, number: number ?? numbers.next(wanted) }
      : before.instance,
    composition: composition === undefined ? before.composition : composition,
    isDeleted: wantsDeleted ?? before.isDeleted ?? false,
  };
  return there === undefined ? [...objects, after] : objects.map((each) => (each === there ? after : each));
}

/** Changes of an object by a history; an absent field is as found. */
export interface Changes {
  readonly label?: string;
  readonly deleted?: true;
  readonly composition?: Composition;
}

/** Returns the changed objects of a history, without having the objects themselves. */
export function changesOf(history: History): ReadonlyMap<string, Changes> {
  const steps = history.done.map(({ edit }) => edit);
  const added = new Set(steps.flatMap((edit) => (edit.type === "split" ? edit.others : [])));
  const names = new Set(steps.flatMap(objectsIn));
  const unknown = [...names].filter((object) => !added.has(object)).map(unknownInstance);
  return new Map(
    allEdited(unknown, history).flatMap(({ instance: { object, label }, composition, isDeleted }) => {
      const changes: Changes = {
        ...(label !== null && { label }),
        ...(isDeleted === true && { deleted: true }),
        ...(composition !== null && { composition }),
      };
      return Object.keys(changes).length === 0 ? [] : [[object, changes] as const];
    }),
  );
}

const unknownInstance = (object: string): Instance => ({
  id: object,
  object,
  prompt: null,
  label: null,
  confidence: 0,
  number: 0,
  width: 0,
  height: 0,
  png: new Blob([]),
});

const deleted = (object: Kept): Kept => ({ ...object, isDeleted: true });

type OwnEdit = Exclude<Edit, SetEdit>;

function applied(objects: readonly Kept[], edit: OwnEdit, numbers: Numbers): readonly Kept[] {
  const named = (name: string) =>
    objects.find(({ instance, isDeleted = false }) => instance.object === name && !isDeleted);
  const target = named(objectsIn(edit)[0] ?? "");
  if (target === undefined || edit.type === "least") return objects;
  const { instance } = target;
  const replacedBy = (...others: readonly Kept[]) =>
    objects.flatMap((object) => (object === target ? others : [object]));
  switch (edit.type) {
    case "rename": {
      const { label } = edit;
      if (label === instance.label) return objects;
      return replacedBy({ ...target, instance: { ...instance, label, number: numbers.next(label) } });
    }
    case "delete":
      return replacedBy(deleted(target));
    case "paint":
      return replacedBy({ ...target, composition: painted(target, edit.stroke) });
    case "merge": {
      const merged = objects.filter(
        ({ instance: { object }, isDeleted = false }) => !isDeleted && edit.objects.includes(object),
      );
      if (merged.length < 2) return objects;
      const confidence = Math.max(...merged.map((object) => object.instance.confidence));
      const one = {
        instance: { ...instance, confidence },
        composition: { from: "union", of: merged.map(compositionOf) } as const,
      };
      return replacedBy(one).map((object) => (merged.includes(object) ? deleted(object) : object));
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
      done.flatMap(({ edit }) =>
        (edit.type === "rename" || edit.type === "set") && typeof edit.label === "string" ? [edit.label] : [],
      ),
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
