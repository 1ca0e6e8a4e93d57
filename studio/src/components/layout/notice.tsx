import type { ComponentChildren } from "preact";
import { SegmentationError } from "segmentation-client";
import { isAboutPlan, problemSentence, problemTitle } from "../../text/problem-words.ts";
import type { Loaded } from "../../state/requests.ts";
import { Button, Icon } from "../controls/button.tsx";
import "./notice.css";

interface NoticeProps {
  readonly tone?: "plain" | "warning" | "danger";
  readonly title: string;
  readonly children?: ComponentChildren;
  /** Buttons and links that help. */
  readonly actions?: ComponentChildren;
  /** Called when a person has read it. Without it, the notice stays while it is true. */
  readonly onClose?: () => void;
}

/** Says what happened and what to do. A screen reader reads it out when it appears. */
export function Notice({ tone = "plain", title, children, actions, onClose }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <div>
        <p class="notice-title">{title}</p>
        {children !== undefined && <div class="notice-text">{children}</div>}
      </div>
      {actions !== undefined && <div class="notice-actions">{actions}</div>}
      {onClose !== undefined && (
        <button type="button" class="notice-close" aria-label="Dismiss" onClick={onClose}>
          <Icon name="close" size={16} />
        </button>
      )}
    </div>
  );
}

interface ProblemProps {
  readonly error: unknown;
  /** Retries the failed action. */
  readonly onRetry?: (() => void) | undefined;
  /** Names of files, by the taskIds that the service may mention. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** A failure, with its remedies: pay, open the blocking job, retry. */
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

/** Says that something is on its way. Shown after a moment, to avoid flicker. */
export const Waiting = ({ what }: { readonly what: string }) => (
  <div class="waiting" role="status">
    <span class="waiting-dots" aria-hidden="true" />
    {what}
  </div>
);

/** Placeholder while something is loading, or could not be loaded; nothing once it is there. */
export const Loading = ({
  of: { value, error, reload },
  what,
}: {
  readonly of: Loaded<unknown>;
  readonly what: string;
}) =>
  error.value !== null ? (
    <Problem error={error.value} onRetry={reload} />
  ) : value.value === undefined ? (
    <Waiting what={what} />
  ) : null;
