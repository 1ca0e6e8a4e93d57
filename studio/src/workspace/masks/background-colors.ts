import type { Instance } from "../rules/instances.ts";
import type { Workspace } from "../workspace.ts";

/** Objects of a picture with the color that is under each, by which masks are given other colors; as they are if that can't be known. */
export async function withUnder(
  workspace: Workspace,
  key: string,
  instances: readonly Instance[],
): Promise<readonly Instance[]> {
  const picture = workspace.picture(key);
  if (picture === undefined || instances.length === 0) return instances;
  try {
    const original = await workspace.original(picture);
    if (original === null) return instances;
    const renderer = await workspace.runner.renderer();
    const under = await renderer.under(
      original,
      instances.map(({ png }) => png),
    );
    return instances.map((instance, i) => Object.assign({}, instance, { under: under[i] ?? undefined }));
  } catch {
    return instances;
  }
}
