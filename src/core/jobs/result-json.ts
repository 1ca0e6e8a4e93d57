import { assetsOf, manifestOf } from "./manifest.ts";
import type { FinishedJob } from "./answers.ts";
import type { Presigner } from "../lib/presigned-url.ts";

/** The manifest without its items, up to the place of the first. */
const openManifest = (job: FinishedJob): string =>
  JSON.stringify(manifestOf({ ...job, tasks: [] }, String)).slice(0, -"]}".length);

/**
 * A JobResult as JSON, in pieces: a piece for each task of the manifest, then one for each task's assets. Only one task's
 * URLs are held at a time. The manifest and the assets name the same URLs, so the signatures are kept: 64 digits each.
 *
 * @param expiresIn the life of the signer's URLs, in seconds
 */
export async function* resultJson(
  job: FinishedJob,
  signer: Presigner,
  expiresIn: number,
): AsyncGenerator<string> {
  const signatures: string[] = [];
  yield `{"manifest":${openManifest(job)}`;
  let comma = "";
  for (const task of job.tasks) {
    const one = { ...job, tasks: [task] };
    const urls = new Map<string, string>();
    for (const { key, objectKey } of assetsOf(one)) {
      const signature = await signer.signature(objectKey);
      signatures.push(signature);
      urls.set(key, signer.url(objectKey, signature));
    }
    const urlOf = (key: string): string => {
      const url = urls.get(key);
      if (url === undefined) throw new Error(`the manifest names ${key}, which is not among the assets`);
      return url;
    };
    for (const item of manifestOf(one, urlOf).items) {
      yield comma + JSON.stringify(item);
      comma = ",";
    }
  }
  yield `]},"assets":[`;
  comma = "";
  const signed = signatures.values();
  for (const task of job.tasks) {
    const assets = assetsOf({ ...job, tasks: [task] }).map(({ key, objectKey }) => ({
      key,
      url: signer.url(objectKey, signed.next().value ?? ""),
      expiresIn,
    }));
    if (assets.length === 0) continue;
    yield comma + JSON.stringify(assets).slice(1, -1);
    comma = ",";
  }
  yield `],"expiresIn":${expiresIn}}`;
}
