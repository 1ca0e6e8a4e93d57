import type { Instance } from "./instances.ts";
import { drawnOf } from "./pointed.ts";
import type { Work } from "./work.ts";

/** What an object that was pointed at is called among the objects of its picture. */
export const pointedName = (number: number): string => `pointed/${number}`;

/** The number of an object that was pointed at; null of another. */
export const numberOf = (object: string): number | null =>
  object.startsWith("pointed/") ? Number(object.slice("pointed/".length)) : null;

/** The objects of a picture: what a search has found, corrected where it was pointed at, and then what was pointed at besides. */
export function objectsOf(work: Work, key: string, found: readonly Instance[]): readonly Instance[] {
  const already = found.filter(({ prompt }) => prompt === null).length;
  const corrected = new Map<string, Instance>();
  const pointed: Instance[] = [];
  for (const object of work.pointed.value) {
    const { number, picture, refines } = object;
    const attempt = drawnOf(object);
    const instance = attempt === null ? undefined : work.drawn.value.get(attempt.number);
    if (picture !== key || instance === undefined) continue;
    if (refines !== undefined) corrected.set(refines.object, instance);
    else pointed.push({ ...instance, object: pointedName(number), number: already + number });
  }
  const seen = found.map((instance) => {
    const { id, png } = corrected.get(instance.object) ?? instance;
    return Object.assign({}, instance, { id, png });
  });
  return [...seen, ...pointed];
}
