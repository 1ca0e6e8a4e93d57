import type { Region } from "../viewer/types.ts";

/** One way in which an object was pointed at, and the job that draws it. */
export interface Attempt {
  /** Grows with each attempt of the work. */
  readonly number: number;
  /** Where; null for a job that was opened by its id, which does not say. */
  readonly region: Region | null;
  /** `waiting` until it is its turn. */
  readonly state: "waiting" | "running" | "drawn" | "failed";
  readonly jobId: string | null;
  /** The Idempotency-Key of its job. */
  readonly key: string;
}

/** An object that was pointed at. Each further point makes an attempt of its own; the last one counts. */
export interface PointedObject {
  /** From 1, in the order in which objects were pointed at. */
  readonly number: number;
  /** The picture's key. */
  readonly picture: string;
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

const nextObject = (objects: readonly PointedObject[]): number =>
  1 + Math.max(0, ...objects.map(({ number }) => number));

/** A region was pointed at in a picture: a new object, or the latest one of that picture again. */
export function pointedAt(
  objects: readonly PointedObject[],
  picture: string,
  region: Region,
  replacesLatest: boolean,
): readonly PointedObject[] {
  const attempt = newAttempt(objects, region, null);
  const latest = objects.findLast((object) => object.picture === picture);
  if (!replacesLatest || latest === undefined)
    return [...objects, { number: nextObject(objects), picture, attempts: [attempt] }];
  return objects.map((object) =>
    object === latest ? { ...object, attempts: [...object.attempts, attempt] } : object,
  );
}

/** An object with a job that was created earlier, whose mask is to be fetched. */
export const takenUp = (
  objects: readonly PointedObject[],
  picture: string,
  jobId: string,
): readonly PointedObject[] => [
  ...objects,
  { number: nextObject(objects), picture, attempts: [newAttempt(objects, null, jobId)] },
];

/** Takes back the latest attempt in a picture, and with its only attempt the object; gives what was taken back, too. */
export function undone(
  objects: readonly PointedObject[],
  picture: string,
): { readonly objects: readonly PointedObject[]; readonly taken: Attempt | null } {
  const last = objects
    .filter((object) => object.picture === picture)
    .toSorted((a, b) => lastOf(a).number - lastOf(b).number)
    .at(-1);
  if (last === undefined) return { objects, taken: null };
  const [first, ...rest] = last.attempts.slice(0, -1);
  const left = objects.flatMap((object) => {
    if (object !== last) return [object];
    return first === undefined ? [] : [{ ...object, attempts: [first, ...rest] as const }];
  });
  return { objects: left, taken: lastOf(last) };
}

/** An object is not wanted any more. */
export const without = (objects: readonly PointedObject[], number: number): readonly PointedObject[] =>
  objects.filter((object) => object.number !== number);

/** Something new is known of an attempt; nothing changes if it was taken back meanwhile. */
export const withAttempt = (
  objects: readonly PointedObject[],
  number: number,
  news: Partial<Attempt>,
): readonly PointedObject[] => {
  const updated = (attempt: Attempt): Attempt =>
    attempt.number === number ? { ...attempt, ...news } : attempt;
  return objects.map((object) => {
    const [first, ...rest] = object.attempts;
    return { ...object, attempts: [updated(first), ...rest.map(updated)] };
  });
};

/** The attempt that is to be drawn next: the oldest that counts. What a further point has replaced is not drawn. */
export function nextToDraw(
  objects: readonly PointedObject[],
): { readonly object: PointedObject; readonly attempt: Attempt } | null {
  const [next] = objects
    .map((object) => ({ object, attempt: lastOf(object) }))
    .filter(({ attempt }) => attempt.state === "waiting")
    .toSorted((a, b) => a.attempt.number - b.attempt.number);
  return next ?? null;
}

/** The latest attempt of an object that has a mask: it is shown until a newer one is drawn. */
export const drawnOf = ({ attempts }: PointedObject): Attempt | null =>
  attempts.findLast(({ state }) => state === "drawn") ?? null;
