import { Button } from "../../../components/controls/button.tsx";
import { isOnline } from "../../../state/online.ts";
import { bytesIn } from "../../../text/format.ts";
import { isAboutPlan, problemTitle } from "../../../text/problem-words.ts";
import { cancel, stopWaiting } from "../../../workspace/jobs/run.ts";
import type { Going, Work } from "../../../workspace/workspace.ts";
import "./progress.css";

/** The progress of the work in files, bytes and tasks, shown over the picture. */
export function Progress({ work }: { readonly work: Work }) {
  const going = work.going.value.at === "idle" ? work.pointing.value : work.going.value;
  if (going.at === "idle" || work.opening.value) return null;
  const share = shareOf(work, going);
  const isMain = going === work.going.value;
  const canCancel = isMain && going.at === "running" && work.job.value !== null;
  const canStop = isMain && (going.at === "blocked" || going.at === "waiting");
  return (
    <div class="progress">
      <div class="progress-words" role="status">
        {wordsOf(work, going)}
        {going.at === "blocked" && (
          <a href={`/studio/jobs/${encodeURIComponent(going.jobId)}`}>Open that job</a>
        )}
        {going.at === "waiting" && isAboutPlan(going.why) && <a href="/studio/usage">See plans</a>}
        {canStop && (
          <Button variant="quiet" onClick={() => stopWaiting(work)}>
            Stop waiting
          </Button>
        )}
        {canCancel && (
          <Button variant="quiet" onClick={() => void cancel(work)}>
            Cancel
          </Button>
        )}
      </div>
      <progress aria-label="Progress" max={1} {...(share !== null && { value: share })} />
    </div>
  );
}

function shareOf(work: Work, { at }: Going): number | null {
  if (work.going.value.at === "idle") return null;
  const { sent, total } = work.bytes.value;
  if (at === "sending") return total === 0 ? null : sent / total;
  return at === "running" && work.share.value > 0 ? work.share.value : null;
}

function wordsOf(work: Work, going: Going): string {
  const isPointing = work.going.value.at === "idle";
  if (!isOnline.value) return "Waiting for the network. Work resumes automatically.";
  if (going.at === "blocked")
    return "Another of your jobs is still running. This one starts when it finishes.";
  if (going.at === "waiting") return `${problemTitle(going.why)}. Retrying automatically.`;
  if (going.at === "sending") {
    const files = work.pictures.value;
    const { sent, total } = work.bytes.value;
    const done = files.filter(({ sending }) => sending.at === "sent").length;
    const bytes = total === 0 ? "" : `: ${bytesIn(sent)} of ${bytesIn(total)}`;
    if (files.length === 1)
      return `Uploading the ${work.type.value === "video" ? "clip" : "picture"}${bytes}`;
    return isPointing ? "Uploading the picture" : `Uploading ${done} of ${files.length} pictures${bytes}`;
  }
  if (isPointing) return "Segmenting the selected object";
  const tasks = work.job.value?.tasks ?? [];
  const ended = tasks.filter(({ status }) => status === "success" || status === "failed").length;
  if (work.type.value === "video" && work.share.value > 0)
    return `Segmenting: ${Math.round(work.share.value * 100)}% of the frames`;
  if (tasks.length > 1) return `Segmenting: ${ended} of ${tasks.length} pictures`;
  return work.job.value?.status === "queued" ? "Queued" : "Segmenting";
}
