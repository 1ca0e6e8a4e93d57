import { type components, LIMITS } from "segmentation-client";
import type { Region } from "../../viewer/types.ts";

/** One way in which an object was pointed at, and the job that draws it. */
export interface Attempt {
  /** Grows with each attempt of the workspace. */
  readonly number: number;
  /** Null for a job that was opened by its id, which does not say it. */
  readonly region: Region | null;
  /** `new` until a person keeps it, `waiting` until it is its turn. */
  readonly state: "new" | "waiting" | "running" | "drawn" | "failed";
  readonly jobId: string | null;
  /** The Idempotency-Key of its job. */
  readonly key: string;
  /** The job to which its job adds, null for none; absent while it is not decided. */
  readonly continues?: string | null;
  /** Index of its mask among the job's; absent until it is known. */
  readonly maskIndex?: number;
  /** Index of its region among the job's; absent until its job is requested. */
  readonly regionIndex?: number;
  /** True if its job returns the picture's embedding, too. */
  readonly withEmbedding?: boolean;
  /** True if this browser has drawn its mask. */
  readonly isDecoded?: boolean;
  /** The mask that this browser has corrected to draw it, null for none. */
  readonly corrects?: CorrectedMask | null;
  /** Class that its job gives to the object. */
  readonly label?: string;
}

/** A mask to correct, as a job names it. */
export interface CorrectedMask {
  readonly jobId: string;
  readonly maskIndex: number;
}

/** A mask that a job of words has found, and that is corrected by pointing at it. */
export interface Refined extends CorrectedMask {
  /** The object whose mask it is. */
  readonly object: string;
}

/** An object that was pointed at. Each further point makes another attempt; the last one counts. */
export interface PointedObject {
  /** From 1, in the order in which objects were pointed at. */
  readonly number: number;
  /** The picture's key. */
  readonly picture: string;
  /** The mask that its own replaces; absent of an object that nothing had found. */
  readonly refines?: Refined | undefined;
  readonly attempts: readonly [Attempt, ...Attempt[]];
}

/** The attempt that counts. */
export const lastOf = ({ attempts }: PointedObject): Attempt => attempts.at(-1) ?? attempts[0];

const nextNumber = (objects: readonly PointedObject[]): number =>
  1 + Math.max(0, ...objects.flatMap(({ attempts }) => attempts.map(({ number }) => number)));

const newAttempt = (
  objects: readonly PointedObject[],
  region: Region | null,
  jobId: string | null,
): Attempt => ({ number: nextNumber(objects), region, state: "waiting", jobId, key: crypto.randomUUID() });

/** An attempt as if no job had been asked for it: another job may draw it. */
export const unsent = ({ number, region, label, corrects, isDecoded }: Attempt): Attempt => ({
  number,
  region,
  state: "new",
  jobId: null,
  key: crypto.randomUUID(),
  ...(isDecoded !== undefined && { isDecoded }),
  ...(label !== undefined && { label }),
  ...(corrects !== undefined && { corrects }),
});

const nextObject = (objects: readonly PointedObject[]): number =>
  1 + Math.max(0, ...objects.map(({ number }) => number));

/** Purpose of a region: a new object, the latest pointed object, a pointed object by its number, or a mask to correct. */
export type Purpose = "new" | "latest" | number | Refined;

/** The object that a region changes; undefined if it begins one. */
export function objectFor(
  objects: readonly PointedObject[],
  picture: string,
  purpose: Purpose,
): PointedObject | undefined {
  const there = objects.filter((object) => object.picture === picture);
  if (purpose === "new") return undefined;
  if (purpose === "latest") return there.findLast(({ refines }) => refines === undefined);
  if (typeof purpose === "number") return there.find(({ number }) => number === purpose);
  return there.find(({ refines }) => refines?.object === purpose.object);
}

/**
 * A region was pointed at in a picture.
 * @param label class of a new object
 * @param state `new` if this browser draws it
 */
export function pointedAt(
  objects: readonly PointedObject[],
  picture: string,
  region: Region,
  purpose: Purpose,
  label: string | null = null,
  state: "new" | "waiting" = "waiting",
): readonly PointedObject[] {
  const changed = objectFor(objects, picture, purpose);
  const own = changed === undefined ? label : changed.attempts[0].label;
  const attempt: Attempt = { ...newAttempt(objects, region, null), state, ...(own && { label: own }) };
  const refines = typeof purpose === "object" ? purpose : undefined;
  if (changed === undefined)
    return [...objects, { number: nextObject(objects), picture, refines, attempts: [attempt] }];
  return withFurther(objects, changed, attempt);
}

/**
 * With a job that was created earlier, whose mask is to be fetched: a further attempt at the object whose mask it corrects, if that
 * is there, or a separate object.
 */
export function takenUp(
  objects: readonly PointedObject[],
  picture: string,
  { jobId, continues }: { readonly jobId: string; readonly continues: string | null },
  refines?: Refined,
): readonly PointedObject[] {
  const attempt = { ...newAttempt(objects, null, jobId), continues };
  const corrected = objects.find(
    (object) =>
      object.picture === picture &&
      refines !== undefined &&
      (object.refines?.object === refines.object ||
        object.attempts.some((earlier) => earlier.jobId === refines.jobId)),
  );
  if (corrected !== undefined) return withFurther(objects, corrected, attempt);
  return [...objects, { number: nextObject(objects), picture, refines, attempts: [attempt] }];
}

/** With a further mask of the job of an attempt as a separate object, the last one. It is drawn already. */
export function withOther(
  objects: readonly PointedObject[],
  { picture }: PointedObject,
  of: Attempt,
  maskIndex: number,
): readonly PointedObject[] {
  const attempt: Attempt = { ...of, number: nextNumber(objects), state: "drawn", maskIndex };
  return [...objects, { number: nextObject(objects), picture, attempts: [attempt] }];
}

const withFurther = (
  objects: readonly PointedObject[],
  of: PointedObject,
  attempt: Attempt,
): readonly PointedObject[] =>
  objects.map((object) => (object === of ? { ...object, attempts: [...object.attempts, attempt] } : object));

/** Returns true if an object is shown with these searches: they have found it, or no search has. */
export const isSeenWith = ({ refines }: PointedObject, searches: readonly string[]): boolean =>
  refines === undefined || searches.includes(refines.jobId);

/** Tells whether the job of an object's latest attempt has others, too: it is not deleted for one of them. */
const isShared = (objects: readonly PointedObject[], object: PointedObject): boolean =>
  objects.some((other) => other !== object && other.attempts.some(({ key }) => key === lastOf(object).key));

/**
 * Undoes the latest attempt at a shown object of a picture, and removes an object without attempts; also returns the undone attempt.
 * Objects that were kept together stay.
 */
export function undone(
  objects: readonly PointedObject[],
  picture: string,
  searches: readonly string[],
): {
  readonly objects: readonly PointedObject[];
  readonly taken: { readonly object: PointedObject; readonly attempt: Attempt } | null;
} {
  const last = objects
    .filter(
      (object) => object.picture === picture && isSeenWith(object, searches) && !isShared(objects, object),
    )
    .toSorted((a, b) => lastOf(a).number - lastOf(b).number)
    .at(-1);
  if (last === undefined) return { objects, taken: null };
  const attempt = lastOf(last);
  return { objects: withoutAttempt(objects, attempt.number), taken: { object: last, attempt } };
}

/** Point or box that was taken back, to be pointed at again. */
export interface TakenBack {
  readonly picture: string;
  readonly region: Region;
  readonly purpose: Purpose;
  /** Number of the picture's edits that had been undone before. */
  readonly undoneEdits: number;
  /** True if a job had drawn it, or was about to. */
  readonly isSpent: boolean;
}

/** Returns the undone region; null if it is not known. */
export function takenBack(
  { picture, number, refines, attempts }: PointedObject,
  { region, jobId }: Attempt,
  undoneEdits: number,
): TakenBack | null {
  if (region === null) return null;
  const purpose = attempts.length > 1 ? number : (refines ?? "new");
  return { picture, region, purpose, undoneEdits, isSpent: jobId !== null };
}

/** Drops an attempt, and with its only one the object. */
export const withoutAttempt = (objects: readonly PointedObject[], number: number): readonly PointedObject[] =>
  objects.flatMap((object) => {
    const [first, ...rest] = object.attempts.filter((attempt) => attempt.number !== number);
    return first === undefined ? [] : [{ ...object, attempts: [first, ...rest] as const }];
  });

/** Something new is known of an attempt; nothing changes if it was taken back meanwhile. */
export const withAttempt = (
  objects: readonly PointedObject[],
  number: number,
  news: Partial<Attempt>,
): readonly PointedObject[] =>
  changed(objects, (attempt) => (attempt.number === number ? { ...attempt, ...news } : attempt));

/** Puts an attempt in the place of the one with its number. */
export const replaced = (objects: readonly PointedObject[], by: Attempt): readonly PointedObject[] =>
  changed(objects, (attempt) => (attempt.number === by.number ? by : attempt));

const changed = (
  objects: readonly PointedObject[],
  updated: (attempt: Attempt) => Attempt,
): readonly PointedObject[] =>
  objects.map((object) => {
    const [first, ...rest] = object.attempts;
    return { ...object, attempts: [updated(first), ...rest.map(updated)] };
  });

/** An attempt for a job to draw, with its object. */
export interface Pending {
  readonly object: PointedObject;
  readonly attempt: Attempt;
}

/** Tells whether a job can draw it together with others: a new object, which corrects nothing and is no example. */
const isNewObject = ({ object, attempt }: Pending): boolean =>
  attempt.region !== null && attempt.region.findAll !== true && correctedBy(object, attempt) === null;

/**
 * The attempts that a job draws next: the oldest that counts, and all of its picture that go with it. A region that a further
 * point has replaced is not drawn.
 */
export function nextToDraw(objects: readonly PointedObject[]): readonly [Pending, ...Pending[]] | null {
  const [first, ...others] = objects
    .map((object): Pending => ({ object, attempt: lastOf(object) }))
    .filter(({ attempt }) => attempt.state === "waiting")
    .toSorted((a, b) => a.attempt.number - b.attempt.number);
  if (first === undefined) return null;
  const isAsked = ({ attempt }: Pending): boolean =>
    attempt.jobId !== null || attempt.continues !== undefined;
  const together = others.filter((other) =>
    isAsked(first)
      ? other.attempt.key === first.attempt.key
      : other.object.picture === first.object.picture &&
        !isAsked(other) &&
        isNewObject(first) &&
        isNewObject(other),
  );
  return [first, ...together.slice(0, LIMITS.regions - 1)];
}

/** Keeps the new attempts that count in a picture, also those that are still being drawn: a job is to draw them. */
export const keptIn = (objects: readonly PointedObject[], picture: string): readonly PointedObject[] =>
  allNewIn(objects, picture).reduce<readonly PointedObject[]>(
    (all, { attempt }) => withAttempt(all, attempt.number, { state: "waiting" }),
    objects,
  );

/** The new attempts that count in a picture: drawn, and not kept yet. */
export const newIn = (objects: readonly PointedObject[], picture: string): readonly Pending[] =>
  allNewIn(objects, picture).filter(({ attempt }) => attempt.isDecoded === true);

const allNewIn = (objects: readonly PointedObject[], picture: string): readonly Pending[] =>
  objects
    .filter((object) => object.picture === picture)
    .map((object) => ({ object, attempt: lastOf(object) }))
    .filter(({ attempt }) => attempt.state === "new");

/** Tells whether keeping them costs a unit: corrections of a picture's masks are free at first. */
export const costsUnit = (pending: readonly Pending[]): boolean => pending.some(isNewObject);

/** The latest attempt of an object that has a mask: it is shown until a newer one is drawn. */
export const drawnOf = ({ attempts }: PointedObject): Attempt | null =>
  attempts.findLast(({ state, isDecoded }) => state === "drawn" || isDecoded === true) ?? null;

/** The number of the latest attempt, in a picture or in all; 0 if there is none. */
export const latestAttempt = (objects: readonly PointedObject[], picture?: string): number =>
  Math.max(
    0,
    ...objects
      .filter((object) => picture === undefined || object.picture === picture)
      .map((object) => lastOf(object).number),
  );

/** Masks of new objects with a lower confidence are dropped. */
const LEAST_KEPT = 0.25;

/** Tells whether a new object's mask is dropped; a lower threshold of the workspace keeps it. */
export const isTooUnsure = (confidence: number, threshold: number | null): boolean =>
  confidence < Math.min(LEAST_KEPT, threshold ?? LEAST_KEPT);

/** A region as a job names it. */
export function regionOn(taskId: string, region: Region): components["schemas"]["Region"] {
  const example = region.findAll === true && { findAll: true };
  if ("points" in region) return { taskId, points: [...region.points], ...example };
  const [x, y, width, height] = region.box;
  return { taskId, box: [x, y, width, height], ...example };
}

/** The mask that an attempt of an object corrects, as a job names it; null if it starts over. */
export function correctedBy({ refines, attempts }: PointedObject, attempt: Attempt): CorrectedMask | null {
  // An example starts over: it corrects nothing.
  if (attempt.region?.findAll === true) return null;
  if (attempt.corrects !== undefined) return attempt.corrects;
  const before = attempts.slice(0, attempts.indexOf(attempt)).findLast(({ state }) => state === "drawn");
  if (before?.jobId !== undefined && before.jobId !== null)
    return { jobId: before.jobId, maskIndex: before.maskIndex ?? 0 };
  return refines === undefined ? null : { jobId: refines.jobId, maskIndex: refines.maskIndex };
}

/** Parses the name of an object, `<jobId>/<taskId>/<maskIndex>`; null if no job of words has found the object. */
export function refinedOf(object: string): Refined | null {
  const [jobId = "", taskId, index] = object.split("/");
  const maskIndex = Number(index);
  return taskId === undefined || index === undefined || !Number.isInteger(maskIndex)
    ? null
    : { object, jobId, maskIndex };
}

/** Formats the job of an object for a path: its id, and after a tilde the object that it corrects. */
export const inPath = (object: PointedObject): string => {
  const { jobId } = lastOf(object);
  if (jobId === null) return "";
  return object.refines === undefined ? jobId : `${jobId}~${object.refines.object}`;
};
