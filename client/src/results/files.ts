import { askFor } from "../api/api.ts";
import { SegmentationError } from "../errors.ts";
import type { Connection, Read } from "../http/connection.ts";
import type { JobResult } from "../schemas.ts";

/** A signature may end while the request is under way: it is not used in the last tenth of its life. */
const USED_SHARE = 0.9;

/** The files of a job by their asset keys. Requests new signed URLs when they have expired. */
export class JobFiles {
  readonly jobId: string;
  readonly connection: Connection;
  #urls = new Map<string, string>();
  #signedUntil = 0;

  constructor(connection: Connection, jobId: string, result: JobResult, askedAt: number) {
    this.connection = connection;
    this.jobId = jobId;
    this.#take(result, askedAt);
  }

  /** Asks for a job's result. @throws SegmentationError `job_not_ready` if it has none */
  static async open(
    connection: Connection,
    jobId: string,
    signal?: AbortSignal,
  ): Promise<[JobFiles, JobResult]> {
    const [result, askedAt] = await askForResult(connection, jobId, signal);
    return [new JobFiles(connection, jobId, result, askedAt), result];
  }

  /** All asset keys, in the service's order. */
  get keys(): string[] {
    return [...this.#urls.keys()];
  }

  /** Reads a file, again where a failure may pass. @throws SegmentationError */
  async read<T>(key: string, read: Read<T>, signal?: AbortSignal): Promise<T> {
    if (Date.now() > this.#signedUntil)
      this.#take(...(await askForResult(this.connection, this.jobId, signal)));
    const url = this.#urls.get(key);
    if (url === undefined)
      throw new SegmentationError("invalid_input", `The job has no file ${key}.`, { jobId: this.jobId });
    return await this.connection.download(url, read, signal);
  }

  #take({ assets, expiresIn }: JobResult, askedAt: number): void {
    this.#urls = new Map(assets.map(({ key, url }) => [key, url]));
    this.#signedUntil = askedAt + expiresIn * 1_000 * USED_SHARE;
  }
}

async function askForResult(
  connection: Connection,
  jobId: string,
  signal?: AbortSignal,
): Promise<[JobResult, number]> {
  const askedAt = Date.now();
  const { data } = await askFor(connection, "retrieveJobResult", { jobId }, { signal });
  return [data, askedAt];
}
