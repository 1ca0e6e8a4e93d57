import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { JobSummary } from "segmentation-client";
import { Button } from "../../components/button.tsx";
import { EmptyState, Page } from "../../components/page.tsx";
import { Problem, Waiting } from "../../components/notice.tsx";
import { usePoll } from "../../state/requests.ts";
import { counted } from "../../text/format.ts";
import { ConfirmDialog } from "../../components/dialogs.tsx";
import { api, refreshAccount } from "../../state/session.ts";
import { JobFilters } from "./job-filter.tsx";
import { JobGrid } from "./job-grid.tsx";
import { isUnderWay } from "./job-words.ts";
import { follow, type JobList, NO_FILTER, openList } from "./job-list.ts";
import type { JobAction } from "./job-row.tsx";

const POLL_MS = 3_000;

/** The account's jobs. */
export default function Jobs() {
  const filter = useSignal(NO_FILTER);
  const { list, details } = useMemo(() => openList(filter.value), [filter.value]);
  const seen = useSignal<readonly JobSummary[]>([]);
  const asked = useSignal<Confirmed | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    // A list that was left and comes back is drawn as it was, and then as it is.
    if (list.jobs.peek() === null) void list.loadMore();
    else list.refresh(controller.signal).catch(() => {});
    return () => controller.abort();
  }, [list]);
  const jobs = list.jobs.value;
  usePoll((signal) => follow(list, details, seen.peek(), signal), POLL_MS, jobs?.some(isUnderWay) === true);
  const error = list.error.value;
  return (
    <Page title="Jobs">
      <JobFilters filter={filter.value} onChange={(changed) => (filter.value = changed)} />
      {jobs === null && error === null && <Waiting what="Loading jobs" />}
      {jobs?.length === 0 && (
        <NoJobs
          isFiltered={Object.values(filter.value).some((value) => value !== undefined)}
          onClear={() => (filter.value = NO_FILTER)}
        />
      )}
      {jobs !== null && jobs.length > 0 && (
        <JobGrid
          jobs={jobs}
          isWhole={list.isWhole.value}
          details={details}
          onSeen={(rows) => {
            seen.value = rows;
            details.want(rows);
          }}
          onEnd={() => {
            if (list.error.peek() === null) void list.loadMore();
          }}
          onAct={(action, job) => (asked.value = { action, job })}
        />
      )}
      {error !== null && <Problem error={error} onRetry={() => void list.loadMore()} />}
      {jobs !== null && jobs.length > 0 && error === null && (
        <p class="jobs-end" role="status">
          {list.isWhole.value ? counted(jobs.length, "job") : "Loading more jobs"}
        </p>
      )}
      {asked.value !== null && (
        <ConfirmAction asked={asked.value} list={list} onClose={() => (asked.value = null)} />
      )}
    </Page>
  );
}

/** What is shown instead of the list. */
const NoJobs = ({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) =>
  isFiltered ? (
    <EmptyState title="No matching jobs" action={<Button onClick={onClear}>Show all jobs</Button>}>
      Change the filters above, or show all jobs.
    </EmptyState>
  ) : (
    <EmptyState
      title="No jobs yet"
      action={
        <a class="button button-main" href="/studio">
          Segment a picture
        </a>
      }
    >
      Pictures and clips that you segment appear here with their masks until the service deletes them, and so
      do jobs created with your API keys.
    </EmptyState>
  );

/** What was asked for, of which job. */
interface Confirmed {
  readonly action: JobAction;
  readonly job: JobSummary;
}

interface ConfirmActionProps {
  readonly asked: Confirmed;
  readonly list: JobList;
  readonly onClose: () => void;
}

/** Asks before a job is canceled or deleted, and says what that does. */
function ConfirmAction({ asked: { action, job }, list, onClose }: ConfirmActionProps) {
  const { jobId } = job;
  return action === "cancel" ? (
    <ConfirmDialog
      title="Cancel this job?"
      confirm="Cancel job"
      cancel="Keep it running"
      onClose={onClose}
      onConfirm={async () => {
        list.put(await api.value.cancelJob({ jobId }));
        await refreshAccount().catch(() => {});
      }}
    >
      <p>Unfinished work is canceled and not charged. Finished masks are kept.</p>
    </ConfirmDialog>
  ) : (
    <ConfirmDialog
      title="Delete this job?"
      confirm="Delete job"
      onClose={onClose}
      onConfirm={async () => {
        await api.value.deleteJob({ jobId });
        list.remove(jobId);
        if (isUnderWay(job)) await refreshAccount().catch(() => {});
      }}
    >
      <p>
        Its masks, previews and archive are deleted and can’t be recovered. Its usage is still charged.
        {isUnderWay(job) && " It is still running and will be canceled first."}
      </p>
    </ConfirmDialog>
  );
}
