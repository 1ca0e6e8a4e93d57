import { categoriesOfJob } from "../../jobs/rules/define.ts";
import { archiveProblem } from "../../jobs/rules/archive-problems.ts";
import type { ArchivePlan, FetchedFile } from "../rules/plan.ts";
import type { ArchiveClaim } from "../../jobs/rules/answers.ts";
import { joinAnnotations } from "../rules/join-annotations.ts";
import type { JobStub } from "../../jobs/store/rpc.ts";
import type { Asset } from "../../jobs/rules/result.ts";
import { archiveKey } from "../../shared/bucket/object-keys.ts";
import { mapAhead } from "../../shared/pool.ts";
import { countEntries, ZipWriter } from "../rules/zip-writer.ts";
import type { Platform } from "../../platform.ts";
import { PartsWriter } from "../../uploads/store/writers.ts";

/** Number of small outputs to fetch ahead concurrently. */
const FETCHED_AHEAD = 6;
const MOST_BYTES_AHEAD = 2 * 1024 * 1024;
/** Heartbeats per lease, if the chunks arrive in time. */
const HEARTBEATS = 6;

/** A file's bytes: all at once, or in pieces. */
type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** An archive that can't be built, however often it is tried. */
export class ImpossibleArchive extends Error {
  override readonly name = "ImpossibleArchive";
}

function missing({ key }: Asset): never {
  throw new ImpossibleArchive(archiveProblem("archive_output_missing", { key }));
}

/** The builder has lost its lease: another one builds the archive. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/**
 * One builder's slice of an archive: resumes from the stored state, until the archive is complete or the slice is over. Stores
 * its state now and then between two files, and at the end of its slice.
 */
export class ArchiveSlice {
  readonly #platform: Platform;
  readonly #claim: ArchiveClaim;
  readonly #plan: ArchivePlan;
  readonly #maxBytes: number;
  readonly #writer: PartsWriter;
  readonly #zip: ZipWriter;
  readonly #begunAt = Date.now();
  #heldAt = Date.now();
  #keptAt = Date.now();
  #uploadLease: number | null;
  /** Files in the archive so far, including generated ones. */
  files: number;

  /** @throws Error if the stored state belongs to another archive. */
  constructor(platform: Platform, claim: ArchiveClaim, plan: ArchivePlan, maxBytes: number) {
    const { job, lease, upload, kept } = claim;
    const { accountId, jobId, createdAt } = job.definition;
    if (kept !== null && kept.plan !== plan.digest)
      throw new Error("the saved progress is of another archive");
    this.#platform = platform;
    this.#claim = claim;
    this.#plan = plan;
    this.#maxBytes = maxBytes;
    this.#uploadLease = upload?.lease ?? null;
    this.files = kept === null ? 0 : countEntries(kept.known);
    const metadata = {
      contentType: "application/zip",
      contentDisposition: `attachment; filename="${jobId}.zip"`,
    };
    const key = archiveKey(accountId, jobId, upload?.lease ?? lease);
    this.#writer = new PartsWriter(
      platform.media,
      key,
      metadata,
      { uploadId: upload?.uploadId ?? null, begun: (uploadId) => this.#begun(key, uploadId) },
      kept ?? undefined,
    );
    const names = plan.names.slice(0, this.files);
    this.#zip = new ZipWriter((piece) => this.#writer.push(piece), createdAt, names, kept?.known);
  }

  /** In bytes. */
  get size(): number {
    return this.#writer.size;
  }

  /** The lease that began the upload of the archive; null for a small archive, stored under this builder's lease. */
  get uploadLease(): number | null {
    return this.#uploadLease;
  }

  /**
   * Works until the archive is complete, which makes it an object, or the slice is over. Returns true if it is complete.
   * @throws ImpossibleArchive, LeaseLost
   */
  async work(): Promise<boolean> {
    const { made, fetched, names } = this.#plan;
    if (this.files === 0) for (const { name, bytes } of made) await this.#write(name, bytes);
    const first = this.files;
    const bodies = mapAhead(fetched.slice(first - made.length), FETCHED_AHEAD, async (file) => ({
      key: file.key,
      open: await this.#readAhead(file),
    }));
    for await (const { key, open } of bodies) {
      await this.#write(key, await open());
      if (this.files < names.length && this.#isOver(first)) {
        await this.#keep();
        return false;
      }
      if (Date.now() - this.#keptAt >= this.#platform.policy.archiveKeepMs) await this.#keep();
    }
    this.#zip.end();
    await this.#drain();
    await this.#stillHeld();
    await this.#writer.finish();
    return true;
  }

  #isOver(first: number): boolean {
    const { archiveSliceFiles, archiveSliceMs } = this.#platform.policy;
    return this.files - first >= archiveSliceFiles || Date.now() - this.#begunAt >= archiveSliceMs;
  }

  /** Returns a function that opens a file of the slice. Reads a small output at once, into memory. */
  async #readAhead(file: FetchedFile): Promise<() => Promise<Body>> {
    if ("documents" in file) {
      const documents = file.documents.map((asset) => () => this.#open(asset));
      const categories = categoriesOfJob(this.#claim.job.definition);
      return async () => joinAnnotations(categories, documents);
    }
    const small = await this.#platform.media.readSmall(file.objectKey, MOST_BYTES_AHEAD);
    if (small === null) return async () => missing(file);
    return async () => (small === "larger" ? this.#open(file) : small);
  }

  /** Opens a large output when its turn comes: the platform may cancel a stream that is not read for a while. */
  async #open(asset: Asset): Promise<ReadableStream<Uint8Array>> {
    return (await this.#platform.media.read(asset.objectKey)) ?? missing(asset);
  }

  async #write(name: string, body: Body): Promise<void> {
    const add = this.#zip.entry(name);
    if (body instanceof Uint8Array) {
      add(body, true);
    } else {
      for await (const chunk of body) {
        add(chunk, false);
        await this.#drain();
      }
      add(new Uint8Array(), true);
    }
    await this.#drain();
    this.files += 1;
  }

  async #drain(): Promise<void> {
    if (this.#writer.size > this.#maxBytes) throw new ImpossibleArchive(archiveProblem("archive_too_large"));
    const written = await this.#writer.drain();
    if (written === 0 && Date.now() - this.#heldAt < this.#platform.policy.leaseMs / HEARTBEATS) return;
    await this.#stillHeld();
  }

  get #jobObject(): JobStub {
    return this.#platform.jobObject(this.#claim.job.definition.jobId);
  }

  async #stillHeld(): Promise<void> {
    if (!(await this.#jobObject.extendArchive(this.#claim.lease))) throw new LeaseLost();
    this.#heldAt = Date.now();
  }

  async #keep(): Promise<void> {
    const kept = { plan: this.#plan.digest, known: this.#zip.known(), ...this.#writer.written() };
    if (!(await this.#jobObject.keepArchive(this.#claim.lease, this.files, kept))) throw new LeaseLost();
    this.#heldAt = this.#keptAt = Date.now();
  }

  /** Records the upload: the builder that resumes the archive or gives it up needs it. */
  async #begun(key: string, uploadId: string): Promise<void> {
    this.#uploadLease = this.#claim.lease;
    if (await this.#jobObject.beginArchiveUpload(this.#claim.lease, uploadId)) return;
    await this.#platform.media.abortParts(key, uploadId);
    throw new LeaseLost();
  }
}
