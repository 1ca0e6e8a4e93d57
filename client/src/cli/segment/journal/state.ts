import type { Entry, Outcome, PlannedJob, Reading } from "./entries.ts";

/** A job that has not ended. */
export interface OpenJob extends PlannedJob {
  /** Set after the service has accepted it. */
  readonly jobId?: string;
}

/** The state that a journal describes. */
export interface JournalState {
  readonly run: { readonly baseUrl: string; readonly order: string } | undefined;
  /** By the files' ids, like all maps below. */
  readonly readings: ReadonlyMap<string, Reading>;
  readonly uploads: ReadonlyMap<
    string,
    { readonly digest: string; readonly taskId: string; readonly at: number }
  >;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** By their Idempotency-Keys. */
  readonly open: ReadonlyMap<string, OpenJob>;
  /** True if the merged document lacks outcomes. */
  readonly isUnmerged: boolean;
}

/** A journal's state, which each entry updates. */
export class GrowingState implements JournalState {
  run: JournalState["run"];
  readonly readings = new Map<string, Reading>();
  readonly uploads = new Map<string, { digest: string; taskId: string; at: number }>();
  readonly outcomes = new Map<string, Outcome>();
  readonly open = new Map<string, OpenJob>();
  isUnmerged = false;

  /** Applies an entry. Ignores an entry of an unknown kind. */
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
