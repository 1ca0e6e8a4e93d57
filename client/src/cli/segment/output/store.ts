import { rm } from "node:fs/promises";
import { join } from "node:path";
import { mapParallel } from "../../../http/parallel.ts";
import { readBlob } from "../../../http/read.ts";
import { folderOf, type ToWrite, writeAll } from "../../../node/save.ts";
import type { JobFiles } from "../../../results/files.ts";
import { type Buckets, placeOf } from "../../bucket/bucket.ts";

/** Destination of results: the output folder, or a bucket. */
export interface Store {
  /** Writes a job's files and replaces existing ones. */
  readonly write: (files: JobFiles, all: readonly ToWrite[], signal: AbortSignal) => Promise<void>;
  /** Writes a file of the whole run, which is in the output folder. */
  readonly copy: (path: string, content: Blob, signal: AbortSignal) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
}

/** The output folder. */
export const folderStore = (out: string): Store => ({
  write: async (files, all, signal) => void (await writeAll(out, files, all, signal)),
  copy: async () => {},
  remove: (path) => rm(join(out, path), { force: true }),
});

const TYPES: readonly (readonly [ending: RegExp, type: string])[] = [
  [/\.png$/, "image/png"],
  [/\.jsonl?$/, "application/json"],
  [/\.txt$/, "text/plain"],
  [/\.mp4$/, "video/mp4"],
];
const typed = (content: Blob, path: string): Blob =>
  content.slice(0, content.size, TYPES.find(([ending]) => ending.test(path))?.[1] ?? content.type);

/**
 * A bucket: files pass through this machine's memory, one after the other. The documents also stay in the folder, to be
 * merged.
 */
export function bucketStore(buckets: Buckets, url: string, out: string): Store {
  const { bucket, prefix } = placeOf(url);
  const start = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  const put = (path: string, content: Blob, signal: AbortSignal): Promise<void> =>
    buckets.put(bucket, start + path, typed(content, path), signal);
  const folder = folderStore(out);
  return {
    async write(files, all, signal) {
      await mapParallel(all, files.connection.parallel, signal, async ({ path, content }, _, each) => {
        const isKey = typeof content === "object" && "key" in content;
        await put(path, isKey ? await files.read(content.key, readBlob, each) : new Blob([content]), each);
      });
      await folder.write(
        files,
        all.filter(({ path }) => path.startsWith(`${folderOf("coco")}/`)),
        signal,
      );
    },
    copy: put,
    async remove(path) {
      await buckets.delete(bucket, start + path);
      await folder.remove(path);
    },
  };
}
