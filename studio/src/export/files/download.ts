import { mapParallel, stemOf, uniqueNames } from "segmentation-client";
import { make } from "./make.ts";
import type { ExportFile, Making, Scope } from "./scope.ts";
import type { Offer } from "./offers.ts";

/** Files to save, and the name of the download. */
export interface Prepared {
  readonly files: readonly ExportFile[];
  readonly title: string;
  /** Their total size in bytes. */
  readonly bytes: number;
}

/** Makes or fetches the files of formats. @throws Error with a sentence; if aborted, the signal's reason */
export async function prepare(offers: readonly Offer[], scope: Scope, making: Making): Promise<Prepared> {
  // Formats may share files: the pictures of a data set.
  const byPath = new Map<string, ExportFile>();
  const add = (made: readonly ExportFile[]): void => made.forEach((file) => byPath.set(file.path, file));
  for (const { way } of offers) {
    if (way.kind === "made") add(await make(way.format, scope, making));
    else if (way.kind === "there") add(await fetchAssets(way.keys, scope, making));
  }
  const files = [...byPath.values()];
  const [first, ...others] = offers;
  const suffix = first === undefined || others.length > 0 ? "" : `-${first.id}`;
  return {
    files,
    title: titleOf(scope) + suffix,
    bytes: files.reduce((sum, { content }) => sum + content.size, 0),
  };
}

/** Returns the name of a download: by the picture, or by the job. */
function titleOf({ jobId, names }: Scope): string {
  const [first, ...others] = names;
  const last = first?.source.split(/[?#]/)[0]?.split("/").pop() ?? "";
  return others.length === 0 && last !== "" ? stemOf(last) : jobId;
}

/** Number of files that are fetched in parallel. */
const PARALLEL = 6;

/** Fetches assets of a job. In the files' paths, the uploads' names replace the taskIds. @throws SegmentationError */
async function fetchAssets(
  keys: readonly string[],
  scope: Scope,
  { client, signal, onDone }: Making,
): Promise<ExportFile[]> {
  const names = [...uniqueNames(new Map(scope.names.map(({ taskId, source }) => [taskId, source])))];
  const { assets } = await client.api.retrieveJobResult({ jobId: scope.jobId }, { signal });
  const urls = new Map(assets.map(({ key, url }) => [key, url]));
  let done = 0;
  return await mapParallel(keys, PARALLEL, signal, async (key, _, each) => {
    const [taskId, name] = names.find(([id]) => key.includes(id)) ?? ["", ""];
    const content = await client.download(urls.get(key) ?? "", { signal: each });
    onDone(++done, keys.length);
    return { path: key.replace(taskId, () => name), content };
  });
}
