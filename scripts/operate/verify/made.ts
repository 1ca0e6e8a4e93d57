import { type SegmentationClient, SegmentationError } from "segmentation-client/node";

/** The most units that a verification may cost. */
const MOST_UNITS = 200;

/** Everything that a verification has created on the service, to be deleted, and the units that it has spent. */
export class Made {
  readonly uploads = new Set<string>();
  readonly jobs = new Set<string>();
  readonly endpoints = new Set<string>();
  #units = 0;

  /** Maximum number of units that the jobs may have cost. */
  get units(): number {
    return this.#units;
  }

  /** Before a job is created. @throws Error if it would cost more than a verification may */
  spend(units: number): void {
    if (this.#units + units > MOST_UNITS)
      throw new Error(`A verification costs at most ${MOST_UNITS} units.`);
    this.#units += units;
  }

  /**
   * Deletes everything that it made, and says what could not be deleted. A job in progress is canceled; an upload goes after
   * the jobs that use it.
   */
  async deleteAll({ api }: SegmentationClient, signal: AbortSignal): Promise<string[]> {
    const left: string[] = [];
    const each = async (ids: Set<string>, remove: (id: string) => Promise<unknown>): Promise<void> => {
      for (const id of ids) {
        try {
          await remove(id);
          ids.delete(id);
        } catch (error) {
          // Nothing of it is there.
          if (error instanceof SegmentationError && error.status === 404) ids.delete(id);
          else left.push(id);
        }
      }
    };
    await each(this.endpoints, (endpointId) => api.deleteWebhookEndpoint({ endpointId }, { signal }));
    await each(this.jobs, (jobId) => api.deleteJob({ jobId }, { signal }));
    await each(this.uploads, (taskId) => api.deleteUpload({ taskId }, { signal }));
    return left;
  }
}
