import type { Instance } from "../rules/instances.ts";
import type { Work } from "../workspace.ts";

/** Objects of a picture with the colour that is under each, by which masks are given other colours; as they are if that can't be known. */
export async function withUnder(
  work: Work,
  key: string,
  instances: readonly Instance[],
): Promise<readonly Instance[]> {
  const picture = work.picture(key);
  if (picture === undefined || instances.length === 0) return instances;
  try {
    const original = await work.original(picture);
    if (original === null) return instances;
    const renderer = await work.runner.renderer();
    const under = await renderer.under(
      original,
      instances.map(({ png }) => png),
    );
    return instances.map((instance, i) => Object.assign({}, instance, { under: under[i] ?? undefined }));
  } catch {
    return instances;
  }
}
