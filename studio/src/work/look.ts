import { onceOnline } from "./patience.ts";
import { taskIdOf } from "./picture.ts";
import type { Work } from "./work.ts";

const loading = new WeakMap<object, Set<string>>();

/** Fetches the masks of a picture of the work's job, unless they are there or on their way. */
export async function look(work: Work, key: string): Promise<void> {
  const found = work.found.value;
  const picture = work.picture(key);
  const taskId = picture === undefined ? null : taskIdOf(picture);
  if (found === null || taskId === null || work.instances.value.has(key)) return;
  const underWay = loading.get(found) ?? new Set();
  loading.set(found, underWay);
  if (underWay.has(key)) return;
  underWay.add(key);
  try {
    const instances = await onceOnline(
      async () => await found.instances(taskId),
      () => {},
    );
    if (work.found.value !== found) return;
    work.instances.value = new Map(work.instances.value).set(key, instances);
  } catch (error) {
    work.problem.value = { error, of: "masks" };
  } finally {
    underWay.delete(key);
  }
}
