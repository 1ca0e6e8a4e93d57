import { batch, computed, signal } from "@preact/signals";
import type { JobSummary, SegmentationClient } from "segmentation-client";
import { continued, type Listed, refreshed } from "../../state/listed.ts";
import { session } from "../../state/session.ts";
import { DetailsOfJobs } from "./job-details.ts";
import { isUnderWay } from "./job-words.ts";

/** Filter of listed jobs; undefined fields do not filter. */
export interface JobFilter {
  readonly status: JobSummary["status"] | undefined;
  readonly mode: JobSummary["processingMode"] | undefined;
  readonly jobId: string | undefined;
  /** Words in prompts, file names or ids: the service doesn't search for them. */
  readonly words: string | undefined;
}

type ServiceFilter = Omit<JobFilter, "words">;

const PAGE = 100;

/** An account's jobs, page after page, as far as a person has scrolled. */
export class JobList {
  readonly #client: SegmentationClient;
  readonly #filter: ServiceFilter;
  readonly #listed = signal<Listed<JobSummary> | null>(null);
  /** Grows when a job is taken out: an answer that was on its way meanwhile would bring it back. */
  #removals = 0;
  #loading: Promise<void> | null = null;

  /** The jobs loaded so far, newest first; null before the first page has arrived. */
  readonly jobs = computed(() => this.#listed.value?.items ?? null);
  readonly isWhole = computed(() => this.#listed.value?.nextToken === null);
  /** Why the next page, or the first, has not come. */
  readonly error = signal<unknown>(null);

  constructor(client: SegmentationClient, filter: ServiceFilter) {
    this.#client = client;
    this.#filter = filter;
  }

  /** Requests the next page, unless it is loading or the list is complete. */
  async loadMore(): Promise<void> {
    if (this.isWhole.peek()) return;
    this.#loading ??= this.#load();
    await this.#loading;
    this.#loading = null;
  }

  /** Asks for the first page again: new jobs come in at the top, and those on it are as they are now. */
  async refresh(aborted: AbortSignal): Promise<void> {
    const removals = this.#removals;
    const page = await this.#page(undefined, aborted);
    if (removals !== this.#removals) return;
    const before = this.#listed.peek();
    this.#listed.value = before === null ? page : refreshed(before, page, ({ jobId }) => jobId);
  }

  /** Notes how a job is now. */
  put(job: Partial<JobSummary> & { readonly jobId: string }): void {
    const before = this.#listed.peek();
    if (before === null) return;
    const { status, updatedAt, error } = job;
    const change = Object.fromEntries(
      Object.entries({ status, updatedAt, error }).filter(([, value]) => value !== undefined),
    );
    const jobs = before.items.map((each) => (each.jobId === job.jobId ? { ...each, ...change } : each));
    this.#listed.value = { ...before, items: jobs };
  }

  /** Takes a job out that was deleted. */
  remove(jobId: string): void {
    const before = this.#listed.peek();
    if (before === null) return;
    this.#removals += 1;
    this.#listed.value = { ...before, items: before.items.filter((each) => each.jobId !== jobId) };
  }

  async #load(): Promise<void> {
    try {
      const page = await this.#page(this.#listed.peek()?.nextToken ?? undefined);
      const before = this.#listed.peek();
      batch(() => {
        this.#listed.value = before === null ? page : continued(before, page);
        this.error.value = null;
      });
    } catch (reason) {
      this.error.value = reason;
    }
  }

  async #page(nextToken: string | undefined, aborted?: AbortSignal): Promise<Listed<JobSummary>> {
    const query = { ...this.#filter, nextToken, limit: PAGE };
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    const { items, nextToken: next } = await this.#client.api.listJobs(given, { signal: aborted });
    return { items, nextToken: next };
  }
}

/** All jobs. */
export const NO_FILTER: JobFilter = {
  status: undefined,
  mode: undefined,
  jobId: undefined,
  words: undefined,
};

interface OpenList {
  readonly client: SegmentationClient;
  readonly filter: ServiceFilter;
  readonly list: JobList;
  readonly details: DetailsOfJobs;
}

/** The list that was shown last, which a person who returns from a job finds unchanged. */
let last: OpenList | null = null;

/** The jobs of a filter, for the person who is signed in. */
export function openList({ words: _words, ...filter }: JobFilter): OpenList {
  const client = session.value?.client;
  if (client === undefined) throw new Error("Nobody is signed in.");
  const isLast = last?.client === client && JSON.stringify(last.filter) === JSON.stringify(filter);
  if (last === null || !isLast)
    last = {
      client,
      filter,
      list: new JobList(client, filter),
      details: last?.client === client ? last.details : new DetailsOfJobs(client),
    };
  return last;
}

/** Number of jobs that are polled one by one in a round: with a round every three seconds a fifth of the usual request rate. */
const MOST_FOLLOWED = 5;

/** One round of polling running jobs: the first page of the list, and each visible row. */
export async function follow(
  list: JobList,
  details: DetailsOfJobs,
  seen: readonly JobSummary[],
  aborted: AbortSignal,
): Promise<void> {
  await list.refresh(aborted);
  const seenIds = new Set(seen.map(({ jobId }) => jobId));
  const underWay = list.jobs.peek()?.filter((job) => seenIds.has(job.jobId) && isUnderWay(job)) ?? [];
  for (const { jobId } of underWay.slice(0, MOST_FOLLOWED)) list.put(await details.follow(jobId, aborted));
}
