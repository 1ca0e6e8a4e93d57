import { Button } from "../../../components/controls/button.tsx";
import { isOnline, isReachable } from "../../../state/online.ts";
import { bytesIn } from "../../../text/format.ts";
import { isAboutPlan, problemTitle } from "../../../text/problem-words.ts";
import { cancel, stopWaiting } from "../../../workspace/jobs/run.ts";
import { lastOf } from "../../../workspace/rules/pointed-objects.ts";
import type { Going, Workspace } from "../../../workspace/workspace.ts";
import { runningJob, segmentingWords } from "./progress-words.ts";
import "./progress.css";

/** The progress of the workspace in files, bytes and tasks, shown over the picture. */
export function Progress({ workspace }: { readonly workspace: Workspace }) {
  const going = workspace.going.value.at === "idle" ? workspace.pointing.value : workspace.going.value;
  if (going.at === "idle" || workspace.opening.value) return null;
  const share = shareOf(workspace, going);
  const isMain = going === workspace.going.value;
  const canCancel = isMain && going.at === "running" && jobOf(workspace) !== null;
  const canStop = isMain && (going.at === "blocked" || going.at === "waiting");
  return (
    <div class="progress">
      <div class="progress-words" role="status">
        {wordsOf(workspace, going)}
        {going.at === "blocked" && (
          <a href={`/studio/jobs/${encodeURIComponent(going.jobId)}`}>Open that job</a>
        )}
        {going.at === "waiting" && isAboutPlan(going.why) && <a href="/studio/usage">See plans</a>}
        {canStop && (
          <Button variant="quiet" onClick={() => stopWaiting(workspace)}>
            Stop waiting
          </Button>
        )}
        {canCancel && (
          <Button variant="quiet" onClick={() => void cancel(workspace)}>
            Cancel
          </Button>
        )}
      </div>
      <progress aria-label="Progress" max={1} {...(share !== null && { value: share })} />
    </div>
  );
}

function shareOf(workspace: Workspace, { at }: Going): number | null {
  if (workspace.going.value.at === "idle") return null;
  const { sent, total } = workspace.bytes.value;
  if (at === "sending") return total === 0 ? null : sent / total;
  const isKnown = at === "running" && jobOf(workspace) !== null && workspace.share.value > 0;
  return isKnown ? workspace.share.value : null;
}

function wordsOf(workspace: Workspace, going: Going): string {
  const isPointing = workspace.going.value.at === "idle";
  if (!isOnline.value) return "Waiting for the network. Work resumes automatically.";
  if (!isReachable.value) return "The service can’t be reached. Work goes on when it answers.";
  if (going.at === "blocked")
    return "Another of your jobs is still running. This one starts when it finishes.";
  if (going.at === "waiting") return `${problemTitle(going.why)}. Retrying automatically.`;
  if (going.at === "sending") {
    const files = workspace.pictures.value;
    const { sent, total } = workspace.bytes.value;
    const done = files.filter(({ sending }) => sending.at === "sent").length;
    const bytes = total === 0 ? "" : `: ${bytesIn(sent)} of ${bytesIn(total)}`;
    if (files.length === 1)
      return `Uploading the ${workspace.type.value === "video" ? "video" : "picture"}${bytes}`;
    return isPointing ? "Uploading the picture" : `Uploading ${done} of ${files.length} pictures${bytes}`;
  }
  if (isPointing)
    return workspace.pointed.value.some(
      (object) => lastOf(object).state === "running" && lastOf(object).isDecoded,
    )
      ? "Saving the new objects"
      : "Segmenting the object that you pointed at";
  return segmentingWords(jobOf(workspace), workspace.share.value, Date.now());
}

const jobOf = ({ job, searchId }: Workspace) => runningJob(job.value, searchId.value);
