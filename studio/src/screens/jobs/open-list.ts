import type { SegmentationClient } from "segmentation-client";
import { session } from "../../state/session.ts";
import { DetailsOfJobs } from "./job-details.ts";
import { type JobFilter, JobList } from "./job-list.ts";

/** All jobs. */
export const NO_FILTER: JobFilter = { status: undefined, mode: undefined, jobId: undefined };

interface OpenList {
  readonly client: SegmentationClient;
  readonly filter: JobFilter;
  readonly list: JobList;
  readonly details: DetailsOfJobs;
}

/** The list that was looked at last: who comes back from a job finds it where it was. */
let last: OpenList | null = null;

/** The list of a filter's jobs, of whoever is signed in. */
export function openList(filter: JobFilter): OpenList {
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
