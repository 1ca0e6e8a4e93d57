import type { JobSummary } from "segmentation-client";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { api, refreshAccount } from "../../state/session.ts";
import type { JobList } from "./job-list.ts";
import type { JobAction } from "./job-row.tsx";
import { isUnderWay } from "./job-words.ts";

/** What was asked for, of which job. */
export interface Confirmed {
  readonly action: JobAction;
  readonly job: JobSummary;
}

export interface ConfirmActionProps {
  readonly asked: Confirmed;
  readonly list: JobList;
  readonly onClose: () => void;
}

/** Asks before a job is cancelled or deleted, and says what that does. */
export function ConfirmAction({ asked: { action, job }, list, onClose }: ConfirmActionProps) {
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
