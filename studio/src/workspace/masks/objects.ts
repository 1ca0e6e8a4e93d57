import type { Instance } from "../rules/instances.ts";
import { drawnOf } from "../rules/pointed-objects.ts";
import type { Workspace } from "../workspace.ts";

/** Returns the name of an object that was pointed at, among the objects of its picture. */
export const pointedName = (number: number): string => `pointed/${number}`;

/** The number of an object that was pointed at; null of another. */
export const numberOf = (object: string): number | null =>
  object.startsWith("pointed/") ? Number(object.slice("pointed/".length)) : null;

/** An object that was pointed at, among the objects of its picture. */
const pointedInstance = (instance: Instance, number: number, found: readonly Instance[]): Instance => ({
  ...instance,
  object: pointedName(number),
  number: found.filter(({ prompt }) => prompt === null).length + number,
});

/** Returns the objects of a picture that were pointed at and no search found, with their first masks and first attempts' numbers. */
export const pointedFirst = (workspace: Workspace, key: string, found: readonly Instance[]) =>
  workspace.pointed.value.flatMap(({ number, picture, refines, attempts }) => {
    const [first] = attempts.flatMap((attempt) => workspace.drawn.value.get(attempt.number) ?? []);
    return picture !== key || refines !== undefined || first === undefined
      ? []
      : [{ instance: pointedInstance(first, number, found), at: attempts[0].number }];
  });

/** The objects of a picture: what a search has found, corrected where it was pointed at, and then what was pointed at besides. */
export function objectsOf(
  workspace: Workspace,
  key: string,
  found: readonly Instance[],
): readonly Instance[] {
  const corrected = new Map<string, Instance>();
  const pointed: Instance[] = [];
  for (const object of workspace.pointed.value) {
    const { number, picture, refines } = object;
    const attempt = drawnOf(object);
    const instance = attempt === null ? undefined : workspace.drawn.value.get(attempt.number);
    if (picture !== key || instance === undefined) continue;
    if (refines !== undefined) corrected.set(refines.object, instance);
    else pointed.push(pointedInstance(instance, number, found));
  }
  const seen = found.map((instance) => {
    const { id, png } = corrected.get(instance.object) ?? instance;
    return Object.assign({}, instance, { id, png });
  });
  return [...seen, ...pointed];
}
