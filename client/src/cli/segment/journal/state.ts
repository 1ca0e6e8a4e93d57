import type { Entry, Outcome, PlannedJob, Reading } from "./entries.ts";

/** A job that has not ended. */
export interface OpenJob extends PlannedJob {
  /** From its acceptance on. */
  readonly jobId?: string;
}

/** What a journal says. */
export interface JournalState {
  readonly run: { readonly baseUrl: string; readonly order: string } | undefined;
  /** By the files' ids, as all below. */
  readonly readings: ReadonlyMap<string, Reading>;
  readonly uploads: ReadonlyMap<
    string,
    { readonly digest: string; readonly taskId: string; readonly at: number }
  >;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** By their keys. */
  readonly open: ReadonlyMap<string, OpenJob>;
  /** Whether there are outcomes that the merged document lacks. */
  readonly isUnmerged: boolean;
}

/** A journal's state, which grows with its entries. */
export class GrowingState implements JournalState {
  run: JournalState["run"];
  readonly readings = new Map<string, Reading>();
  readonly uploads = new Map<string, { digest: string; taskId: string; at: number }>();
  readonly outcomes = new Map<string, Outcome>();
  readonly open = new Map<string, OpenJob>();
  isUnmerged = false;

  /** What the entry says is so from now on. An entry of a kind that is not known says nothing. */
  add(entry: Entry): void {
    switch (entry.entry) {
      case "run":
        this.run = entry;
        return;
      case "read":
        this.readings.set(entry.id, entry);
        return;
      case "uploaded":
        this.uploads.set(entry.id, entry);
        return;
      case "planned":
        this.open.set(entry.key, entry);
        return;
      case "accepted": {
        const job = this.open.get(entry.key);
        if (job !== undefined) this.open.set(entry.key, { ...job, jobId: entry.jobId });
        return;
      }
      case "dropped":
      case "ended":
        this.open.delete(entry.key);
        return;
      case "outcome":
        this.outcomes.set(entry.id, entry);
        this.isUnmerged = true;
        return;
      case "merged":
        this.isUnmerged = false;
    }
  }
}
