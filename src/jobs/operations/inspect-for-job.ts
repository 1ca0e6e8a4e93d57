import type { InspectedUpload } from "../../uploads/rules/upload.ts";
import type { JobDefinition } from "../rules/state.ts";
import type { ServiceError } from "../../shared/errors.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import type { Platform } from "../../platform.ts";
import { dropTooLarge } from "../../uploads/operations/inspect-uploads.ts";
import type { StoredUpload } from "../../shared/bucket/media-type.ts";

/**
 * The inspections of a job's uploads before its acceptance. Each is a read of the bucket, so those of a refused job are counted:
 * they must not be free. An upload that an accepted job or an inspection has seen needs none.
 */
export class UploadInspection {
  readonly #platform: Platform;
  readonly #job: JobDefinition;
  readonly #recorded: ReadonlyMap<string, InspectedUpload>;
  #made = 0;

  /** @param recorded the job's uploads on record, in any order */
  constructor(platform: Platform, job: JobDefinition, recorded: readonly InspectedUpload[]) {
    this.#platform = platform;
    this.#job = job;
    this.#recorded = new Map(recorded.map((upload) => [upload.taskId, upload]));
  }

  /** The number of uploads that need a read of the bucket. */
  get needed(): number {
    return [...this.#recorded.values()].filter(({ seen }) => seen === null).length;
  }

  /**
   * Returns the bucket's record of the job's uploads, in the request's order. Deletes files that no job can take, and counts them
   * toward the account's bytes of the day: creating a job early does not hide them from inspection.
   * @throws the first refusal.
   */
  make(
    refusalOf: (taskId: string, upload: StoredUpload | null) => ServiceError | null,
  ): Promise<StoredUpload[]> {
    return mapPool(this.#job.taskIds, CONNECTIONS, async (taskId) => {
      const recorded = this.#recorded.get(taskId);
      const upload = recorded?.seen ?? (await this.#inspection(taskId));
      const refusal = refusalOf(taskId, upload);
      if (refusal === null && upload !== null) return upload;
      if (upload !== null && recorded !== undefined) await this.#drop(recorded, upload.size);
      throw refusal ?? new Error(`nothing refused ${taskId}, which is not there`);
    });
  }

  #inspection(taskId: string): Promise<StoredUpload | null> {
    this.#made += 1;
    return this.#platform.media.peek(inputKey(this.#job.accountId, taskId));
  }

  async #drop(upload: InspectedUpload, size: number): Promise<void> {
    const isDropped = await dropTooLarge(this.#platform, this.#job.accountId, upload, size);
    if (isDropped) await this.#platform.uploads.noteSize(upload.taskId, size);
  }

  /** Counts the reads of a refused job. Never throws: the refusal is the answer. */
  async noteRefused(): Promise<void> {
    if (this.#made === 0) return;
    const { accountId } = this.#job;
    try {
      await this.#platform.uploads.noteRefusedInspections(accountId, this.#made, Date.now());
    } catch (error) {
      log("error", "looks_uncounted", {
        account: accountId,
        inspections: this.#made,
        reason: reasonOf(error),
      });
    }
  }
}
