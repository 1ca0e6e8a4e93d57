import { askFor } from "../api/api.ts";
import { invalidInput } from "../errors.ts";
import type { Connection, Read } from "../http/connection.ts";
import type { CallOptions } from "../options.ts";
import type { JobResult } from "../schemas.ts";

/** A signature may end while the request is in progress: it is not used in the last tenth of its life. */
const USED_SHARE = 0.9;

/** The files of a job by their asset keys. Requests new signed URLs when they have expired. */
export class JobFiles {
  readonly jobId: string;
  readonly connection: Connection;
  readonly #options: CallOptions;
  #urls = new Map<string, string>();
  #signedUntil = 0;

  /** @param options of all reads, apart from their signals */
  private constructor(connection: Connection, jobId: string, options: CallOptions) {
    const { signal: _signal, ...others } = options;
    this.connection = connection;
    this.jobId = jobId;
    this.#options = others;
  }

  /** Asks for a job's result. @throws SegmentationError `job_not_ready` if it has none */
  static async open(
    connection: Connection,
    jobId: string,
    options: CallOptions = {},
  ): Promise<[JobFiles, JobResult]> {
    const files = new JobFiles(connection, jobId, options);
    return [files, await files.#sign(options.signal)];
  }

  /** All asset keys, in the service's order. */
  get keys(): string[] {
    return [...this.#urls.keys()];
  }

  /** Reads a file, again where a failure may pass. @throws SegmentationError */
  async read<T>(key: string, read: Read<T>, signal?: AbortSignal): Promise<T> {
    if (Date.now() > this.#signedUntil) await this.#sign(signal);
    const url = this.#urls.get(key);
    if (url === undefined) throw invalidInput(`The job has no file ${key}.`, { jobId: this.jobId });
    return await this.connection.download(url, read, { ...this.#options, signal });
  }

  async #sign(signal: AbortSignal | undefined): Promise<JobResult> {
    const { connection, jobId } = this;
    const askedAt = Date.now();
    const options = { ...this.#options, signal };
    const { data } = await askFor(connection, "retrieveJobResult", { jobId }, options);
    this.#urls = new Map(data.assets.map(({ key, url }) => [key, url]));
    this.#signedUntil = askedAt + data.expiresIn * 1_000 * USED_SHARE;
    return data;
  }
}
