import type { ArchiveAnswer, ArchiveClaim, KeptArchive } from "../rules/answers.ts";
import * as archives from "../rules/archive.ts";
import type { JobPolicy } from "../rules/policy.ts";
import { ownedBy } from "../rules/state.ts";
import type { JobAnswers } from "./job-answers.ts";
import type { JobCell, Take } from "./job-cell.ts";

/** The building of the job's archive: the methods of JobRpc for the account that requests it, and for its builder. */
export class JobArchive {
  readonly #cell: JobCell;
  readonly #answers: JobAnswers;
  readonly #policy: JobPolicy;
  readonly #take: Take;

  constructor(cell: JobCell, answers: JobAnswers, policy: JobPolicy, take: Take) {
    this.#cell = cell;
    this.#answers = answers;
    this.#policy = policy;
    this.#take = take;
  }

  async request(accountId: string): Promise<ArchiveAnswer> {
    if (ownedBy(this.#cell.state, accountId) === null) return null;
    const state = await this.#take(archives.requestArchive);
    return state === null ? "not_downloadable" : this.#answers.archiveOf(state);
  }

  async claim(): Promise<ArchiveClaim | null> {
    const state = await this.#take((job, now) => archives.claimArchive(job, this.#policy, now));
    const step = state?.archive?.step;
    if (state === null || step?.at !== "leased") return null;
    const { messages = 0, upload = null, kept } = state.archive ?? {};
    return {
      job: this.#answers.finished(state),
      lease: step.lease,
      messages,
      upload,
      kept: kept === undefined ? null : this.#cell.storage.loadKeptArchive(),
    };
  }

  async extend(lease: number): Promise<boolean> {
    return (await this.#take((job, now) => archives.extendArchive(job, lease, this.#policy, now))) !== null;
  }

  async beginUpload(lease: number, uploadId: string): Promise<boolean> {
    return (await this.#take((job) => archives.beginArchiveUpload(job, lease, uploadId))) !== null;
  }

  async keep(lease: number, files: number, kept: KeptArchive): Promise<boolean> {
    const state = await this.#take((job, now) => {
      const moved = archives.keepArchive(job, lease, files, this.#policy, now);
      if (moved.taken) this.#cell.storage.saveKeptArchive(kept);
      return moved;
    });
    return state !== null;
  }

  async complete(lease: number, outcome: archives.ArchiveOutcome): Promise<boolean> {
    const state = await this.#take((job, now) =>
      archives.completeArchive(job, lease, outcome, this.#policy, now),
    );
    return state !== null;
  }
}
