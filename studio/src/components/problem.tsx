import { SegmentationError } from "segmentation-client";
import { isAboutPlan, problemSentence, problemTitle } from "../text/problem-words.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

export interface ProblemProps {
  readonly error: unknown;
  /** Tries again what failed. */
  readonly onRetry?: (() => void) | undefined;
  /** What people call the files of the taskIds that the service may name. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** A failure, with what to do about it: pay, open the job that is in the way, try again. */
export function Problem({ error, onRetry, names }: ProblemProps) {
  const known = error instanceof SegmentationError ? error : null;
  const isOurs = isAboutPlan(error);
  return (
    <Notice
      tone={isOurs ? "warning" : "danger"}
      title={problemTitle(error)}
      actions={
        <>
          {known?.activeJobId !== undefined && (
            <a class="button button-plain" href={`/studio/jobs/${encodeURIComponent(known.activeJobId)}`}>
              Open that job
            </a>
          )}
          {isOurs && (
            <a class="button button-main" href="/studio/usage">
              {known?.code === "payment_required" ? "Usage and billing" : "See plans"}
            </a>
          )}
          {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        </>
      }
    >
      <p>{problemSentence(error, names)}</p>
      {known?.requestId !== undefined && (
        <p>
          <small>
            Request ID <code>{known.requestId}</code>
          </small>
        </p>
      )}
    </Notice>
  );
}
