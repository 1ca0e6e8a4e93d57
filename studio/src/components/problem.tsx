import { SegmentationError } from "segmentation-client";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

export interface ProblemProps {
  readonly error: unknown;
  /** Tries again what failed. */
  readonly onRetry?: (() => void) | undefined;
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the titles say where the API's sentence alone would be abrupt. */
function titleOf(error: unknown): string {
  if (!(error instanceof SegmentationError)) return "Something went wrong here";
  if (error.code === "connection_failed" || error.code === "timed_out") return "The service can't be reached";
  if (error.status === 402) return "This needs a paid plan";
  if (error.status === 404) return "This is not there";
  if (error.status === 409) return "Something is in the way";
  if (error.status === 429) return "A moment, please";
  if ((error.status ?? 0) >= 500) return "The service has a problem";
  return "This was refused";
}

/** A failure, with what to do about it: pay, open the job that is in the way, try again. */
export function Problem({ error, onRetry }: ProblemProps) {
  const known = error instanceof SegmentationError ? error : null;
  const isOurs = known?.status === 402;
  return (
    <Notice
      tone={isOurs ? "warning" : "danger"}
      title={titleOf(error)}
      actions={
        <>
          {known?.activeJobId !== undefined && (
            <a class="button button-plain" href={`/studio/jobs/${encodeURIComponent(known.activeJobId)}`}>
              Open that job
            </a>
          )}
          {isOurs && (
            <a class="button button-main" href="/studio/usage">
              See plans
            </a>
          )}
          {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        </>
      }
    >
      <p>{sentenceOf(error)}</p>
      {known?.requestId !== undefined && (
        <p>
          <small>
            Request <code>{known.requestId}</code>
          </small>
        </p>
      )}
    </Notice>
  );
}
