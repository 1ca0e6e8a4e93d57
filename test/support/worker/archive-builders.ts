import { env } from "cloudflare:workers";
import type { JobPolicy } from "../../../src/jobs/rules/policy.ts";
import { type Platform } from "../../../src/platform.ts";
import { buildArchive } from "../../../src/archives/operations/build-archive.ts";
import { bucketSettingsOf } from "../../../src/settings.ts";
import { Media } from "../../../src/shared/bucket/bucket.ts";
import { ring } from "./archives.ts";
import { home } from "./databases.ts";
import { later } from "./time.ts";

/** The bucket, as the builder of an archive uses it: a test sees what is read at a time, and may hold a builder up. */
export class WatchedMedia extends Media {
  /** Outputs whose reading has begun, how many are being read now, and how many were at most. */
  reads = 0;
  readingNow = 0;
  mostAtATime = 0;
  /** Awaited before an output is read (its number from 1), and before a part is written. */
  beforeRead: (read: number) => Promise<void> = async () => {};
  beforePart: (partNumber: number) => Promise<void> = async () => {};

  constructor() {
    super(env.MEDIA, bucketSettingsOf(home.platform.settings));
  }

  override async readSmall(...args: Parameters<Media["readSmall"]>): ReturnType<Media["readSmall"]> {
    this.reads += 1;
    this.readingNow += 1;
    this.mostAtATime = Math.max(this.mostAtATime, this.readingNow);
    await this.beforeRead(this.reads);
    const bytes = await super.readSmall(...args);
    this.readingNow -= 1;
    return bytes;
  }

  override async writePart(...args: Parameters<Media["writePart"]>): ReturnType<Media["writePart"]> {
    await this.beforePart(args[2]);
    return super.writePart(...args);
  }
}

/** The platform of a builder with a policy and a bucket of its own. */
export const builderOf = (policy: Partial<JobPolicy>, media: Media = new WatchedMedia()): Platform => ({
  ...home.platform,
  media,
  policy: { ...home.platform.policy, ...policy },
});

const forEver = () => new Promise<never>(() => {});

/**
 * A builder that is cut off, as by a SIGKILL, when it begins to read its n-th output: from then on it does nothing more and
 * tells nobody. Returns when it is cut off, or has ended before.
 */
export async function buildUntilCutOff(
  jobId: string,
  atRead: number,
  policy: Partial<JobPolicy>,
): Promise<void> {
  const media = new WatchedMedia();
  const cut = Promise.withResolvers<void>();
  let isCut = false;
  media.beforeRead = async (read) => {
    if (read < atRead) return;
    isCut = true;
    cut.resolve();
    await forEver();
  };
  media.beforePart = async () => {
    if (isCut) await forEver();
  };
  const platform = builderOf(policy, media);
  const jobObject: Platform["jobObject"] = (id) => {
    const stub = platform.jobObject(id);
    return isCut ? new Proxy(stub, { get: () => forEver }) : stub;
  };
  await Promise.race([buildArchive({ ...platform, jobObject }, jobId), cut.promise]);
}

/** Time passes until a silent builder has lost its lease and the next message is due. */
export async function loseLease(jobId: string): Promise<void> {
  later(61_000);
  await ring(jobId);
  later(61_000);
}
