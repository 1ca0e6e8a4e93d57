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
      confirm="Cancel the job"
      cancel="Let it go on"
      onClose={onClose}
      onConfirm={async () => {
        list.put(await api.value.cancelJob({ jobId }));
        await refreshAccount().catch(() => {});
      }}
    >
      <p>What has not ended fails as canceled and is not charged. Masks that are finished stay.</p>
    </ConfirmDialog>
  ) : (
    <ConfirmDialog
      title="Delete this job?"
      confirm="Delete the job"
      onClose={onClose}
      onConfirm={async () => {
        await api.value.deleteJob({ jobId });
        list.remove(jobId);
        if (isUnderWay(job)) await refreshAccount().catch(() => {});
      }}
    >
      <p>
        Its masks, previews and archive are deleted, and nobody can bring them back. What it used stays
        charged.
        {isUnderWay(job) && " It is still under way: it is cancelled first."}
      </p>
    </ConfirmDialog>
  );
}
