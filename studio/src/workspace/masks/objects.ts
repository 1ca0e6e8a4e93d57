import type { Instance } from "../rules/instances.ts";
import { taskIdOf } from "../rules/picture.ts";
import { drawnOf, type PointedObject } from "../rules/pointed-objects.ts";
import type { Workspace } from "../workspace.ts";

/**
 * Returns the name of an object that was pointed at, in every browser: that of the first mask that a job drew of it. Until there is
 * one, it is a name of this page.
 */
export function pointedName(workspace: Workspace, { picture, number, attempts }: PointedObject): string {
  const of = workspace.picture(picture);
  const taskId = of === undefined ? null : taskIdOf(of);
  const first = attempts.find(
    ({ jobId, maskIndex, isDecoded }) => jobId !== null && (maskIndex !== undefined || isDecoded !== true),
  );
  return first === undefined || taskId === null
    ? `${NEW}${number}`
    : `${first.jobId}/${taskId}/${first.maskIndex ?? 0}`;
}

/** Prefix of the names of objects that no job has drawn yet. */
const NEW = "new/";

/** Tells whether only this page has an object: it can be taken back, named and kept, but not edited yet. */
export const isNew = ({ object }: Pick<Instance, "object">): boolean => object.startsWith(NEW);

/** The number of an object that was pointed at; null of another. */
export const numberOf = (workspace: Workspace, object: string): number | null =>
  workspace.pointed.value.find(
    (each) => each.refines === undefined && pointedName(workspace, each) === object,
  )?.number ?? null;

/** An object that was pointed at, among the objects of its picture. */
const pointedInstance = (
  workspace: Workspace,
  instance: Instance,
  pointed: PointedObject,
  found: readonly Instance[],
): Instance => ({
  ...instance,
  object: pointedName(workspace, pointed),
  number:
    found.filter(({ label }) => label === instance.label).length + placeOf(workspace, instance, pointed),
});

/** The place of an object among those of its class that were pointed at, from 1; of one without a class among all. */
function placeOf(workspace: Workspace, { label }: Instance, { picture, number }: PointedObject): number {
  if (label === null) return number;
  const { drawn, pointed } = workspace;
  return pointed.value.filter(
    (other) =>
      other.picture === picture &&
      other.number <= number &&
      drawn.value.get(other.attempts[0].number)?.label === label,
  ).length;
}

/** Returns the objects of a picture that were pointed at and no search found, with their first masks and first attempts' numbers. */
export const pointedFirst = (workspace: Workspace, key: string, found: readonly Instance[]) =>
  workspace.pointed.value.flatMap((pointed) => {
    const { picture, refines, attempts } = pointed;
    const [first] = attempts.flatMap((attempt) => workspace.drawn.value.get(attempt.number) ?? []);
    return picture !== key || refines !== undefined || first === undefined
      ? []
      : [{ instance: pointedInstance(workspace, first, pointed, found), at: attempts[0].number }];
  });

/** The objects of a picture: those of a search, with corrections, and then the other pointed ones. */
export function objectsOf(
  workspace: Workspace,
  key: string,
  found: readonly Instance[],
): readonly Instance[] {
  const corrected = new Map<string, Instance>();
  const pointed: Instance[] = [];
  for (const object of workspace.pointed.value) {
    const { picture, refines } = object;
    const attempt = drawnOf(object);
    const instance = attempt === null ? undefined : workspace.drawn.value.get(attempt.number);
    if (picture !== key || instance === undefined) continue;
    if (refines !== undefined) corrected.set(refines.object, instance);
    else pointed.push(pointedInstance(workspace, instance, object, found));
  }
  const seen = found.map((instance) => {
    const { id, png } = corrected.get(instance.object) ?? instance;
    return Object.assign({}, instance, { id, png });
  });
  return [...seen, ...pointed];
}
