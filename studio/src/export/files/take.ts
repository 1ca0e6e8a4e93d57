import { type SegmentationClient, stemOf } from "segmentation-client";
import type { ExportPicture } from "../types.ts";
import type { Offer } from "./offers.ts";

/** What is to be taken away. */
export interface Scope {
  readonly jobId: string;
  readonly pictures: readonly ExportPicture[];
  readonly isShownOnly: boolean;
  /** What the uploads of the pictures, or of the clip, are called. */
  readonly names: readonly { readonly taskId: string; readonly source: string }[];
}

/** How a download is called: by the picture, or by the job. */
function titleOf({ jobId, names }: Scope, { id }: Offer): string {
  const [first, ...others] = names;
  const last = first?.source.split(/[?#]/)[0]?.split("/").pop() ?? "";
  return `${others.length === 0 && last !== "" ? stemOf(last) : jobId}-${id}`;
}

/**
 * Makes or fetches a format's files and has the browser save them. `onDone` hears how many of how many are ready.
 * @throws Error with a sentence; if aborted, the signal's reason
 */
export async function take(
  client: SegmentationClient,
  offer: Offer,
  scope: Scope,
  signal: AbortSignal,
  onDone: (done: number, all: number) => void,
): Promise<void> {
  const { way, id } = offer;
  const [{ make, fetchAssets, namesOf }, { saveAll }] = await Promise.all([
    import("./make.ts"),
    import("./pack.ts"),
  ]);
  if (way.kind === "made") {
    const { pictures, isShownOnly } = scope;
    return await saveAll(await make(id, { pictures, isShownOnly, signal, onDone }), titleOf(scope, offer));
  }
  if (way.kind !== "there") throw new TypeError(`There is no ${id} to export.`);
  const names = namesOf(scope.names.map(({ taskId, source }) => ({ taskId, name: source })));
  const files = await fetchAssets(client, scope.jobId, way.keys, names, { signal, onDone });
  await saveAll(files, titleOf(scope, offer));
}
