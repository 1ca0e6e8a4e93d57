import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type JobSummary, SegmentationError } from "segmentation-client";
import { Button, Icon } from "../../components/controls/button.tsx";
import { EmptyState, Page } from "../../components/layout/page.tsx";
import { Problem, Waiting } from "../../components/layout/notice.tsx";
import { useLoaded, usePoll } from "../../state/requests.ts";
import { counted } from "../../text/format.ts";
import { originalNames } from "../../workspace/saved/originals.ts";
import { ConfirmDialog } from "../../components/dialogs/dialogs.tsx";
import { account, api, refreshAccount } from "../../state/session.ts";
import { type JobGroup, jobGroupsOf, isFound } from "./job-groups.ts";
import { JobFilters } from "./job-filter.tsx";
import { JobGrid } from "./job-grid.tsx";
import { isUnderWay } from "./job-words.ts";
import { follow, type JobList, NO_FILTER, openList } from "./job-list.ts";
import type { JobAction } from "./job-row.tsx";

const POLL_MS = 3_000;

/** The account's jobs. */
export default function Jobs() {
  const filter = useSignal(NO_FILTER);
  const { words } = filter.value;
  const { list, details } = useMemo(() => openList(filter.value), [filter.value]);
  const seen = useSignal<readonly JobSummary[]>([]);
  const asked = useSignal<Confirmed | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    // A list that was left and comes back is drawn as before, then updated.
    if (list.jobs.peek() === null) void list.loadMore();
    else list.refresh(controller.signal).catch(() => {});
    return () => controller.abort();
  }, [list]);
  const jobs = list.jobs.value;
  const all = useMemo(() => jobGroupsOf(jobs ?? []), [jobs]);
  const names = useLoaded(
    async () => (words === undefined ? null : await originalNames(account.value?.accountId ?? "")),
    [words === undefined],
  );
  useEffect(() => {
    if (words === undefined) return;
    // The names come first, then the further jobs of each group.
    details.want([...new Set([...all.map(({ job }) => job), ...(jobs ?? [])])]);
  }, [words, all]);
  const groups =
    words === undefined
      ? all
      : all.filter(({ job, jobs: some }) => {
          const prompts = some.flatMap(({ jobId }) => details.of(jobId).value?.prompts ?? []);
          const { taskIds = [] } = details.of(job.jobId).value ?? {};
          const files = taskIds.flatMap((taskId) => names.value.value?.get(taskId) ?? []);
          return isFound(words, [...prompts, ...files, ...some.map(({ jobId }) => jobId)]);
        });
  const isSearched =
    words === undefined ||
    (list.isWhole.value && (jobs ?? []).every(({ jobId }) => details.of(jobId).value !== null));
  usePoll((signal) => follow(list, details, seen.peek(), signal), POLL_MS, jobs?.some(isUnderWay) === true);
  const error = list.error.value;
  return (
    <Page
      title="Jobs"
      actions={
        <a class="button button-plain" href="/studio/shares">
          <Icon name="link" /> Shared links
        </a>
      }
    >
      <JobFilters filter={filter.value} onChange={(changed) => (filter.value = changed)} />
      {jobs === null && error === null && <Waiting what="Loading jobs" />}
      {jobs !== null && groups.length === 0 && isSearched && (
        <NoJobs
          isFiltered={Object.values(filter.value).some((value) => value !== undefined)}
          onClear={() => (filter.value = NO_FILTER)}
        />
      )}
      {groups.length > 0 && (
        <JobGrid
          groups={groups}
          isWhole={list.isWhole.value}
          details={details}
          onSeen={(rows) => {
            seen.value = rows.flatMap(({ job, state }) => (job === state ? [job] : [job, state]));
            if (words === undefined) details.want(seen.value);
          }}
          onEnd={() => {
            if (list.error.peek() === null && words === undefined) void list.loadMore();
          }}
          onAct={(action, group) => (asked.value = { action, group })}
        />
      )}
      {error !== null && <Problem error={error} onRetry={() => void list.loadMore()} />}
      {jobs !== null && jobs.length > 0 && error === null && (
        <p class="fine" role="status">
          {words !== undefined
            ? `${groups.length} of ${counted(all.length, "job")} by prompt, ID, and the names of files in this browser`
            : list.isWhole.value
              ? counted(groups.length, "job")
              : "Loading more jobs"}
        </p>
      )}
      {words !== undefined && !list.isWhole.value && jobs !== null && (
        <Button onClick={() => void list.loadMore()}>Search older jobs</Button>
      )}
      {asked.value !== null && (
        <ConfirmAction asked={asked.value} list={list} onClose={() => (asked.value = null)} />
      )}
    </Page>
  );
}

/** Contents shown instead of the list. */
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
      Pictures and videos that you segment appear here with their masks until the service deletes them, and so
      do jobs created with your API keys.
    </EmptyState>
  );

/** Action that was requested, with its jobs. */
interface Confirmed {
  readonly action: JobAction;
  readonly group: JobGroup;
}

interface ConfirmActionProps {
  readonly asked: Confirmed;
  readonly list: JobList;
  readonly onClose: () => void;
}

/** Deletes a job with all that add to it. @throws SegmentationError */
async function deleteGroup({ job, jobs }: JobGroup, list: JobList): Promise<void> {
  const { listJobs, deleteJob } = api.value;
  const firstJob = job.continues ?? job.jobId;
  const ids = new Set(jobs.map(({ jobId }) => jobId));
  for await (const { jobId } of listJobs({ continues: firstJob, limit: 100 })) ids.add(jobId);
  // The first one last: if a deletion fails, the row stays.
  ids.delete(firstJob);
  for (const jobId of [...ids, firstJob]) {
    await deleteJob({ jobId }).catch((error: unknown) => {
      if (!(error instanceof SegmentationError) || error.status !== 404) throw error;
    });
    list.remove(jobId);
  }
}

/** Asks before a job is canceled or deleted, and explains the effect. */
function ConfirmAction({ asked: { action, group }, list, onClose }: ConfirmActionProps) {
  const underWay = group.jobs.filter(isUnderWay);
  return action === "cancel" ? (
    <ConfirmDialog
      title="Cancel this job?"
      confirm="Cancel job"
      cancel="Keep it running"
      onClose={onClose}
      onConfirm={async () => {
        for (const { jobId } of underWay) list.put(await api.value.cancelJob({ jobId }));
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
        await deleteGroup(group, list);
        if (underWay.length > 0) await refreshAccount().catch(() => {});
      }}
    >
      <p>
        Its masks, previews and archive are deleted and can’t be recovered
        {group.jobs.length > 1 && ", with everything that was added to it"}. Its usage is still charged.
        {underWay.length > 0 && " It is still running and will be canceled first."}
      </p>
    </ConfirmDialog>
  );
}
