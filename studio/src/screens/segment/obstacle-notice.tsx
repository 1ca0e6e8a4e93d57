import type { ComponentChildren } from "preact";
import { Notice } from "../../components/notice.tsx";
import { overview } from "../../state/session.ts";
import type { Obstacle } from "../../work/beforehand.ts";

export interface ObstacleNoticeProps {
  readonly obstacle: Obstacle;
  /** What else can be done about it. */
  readonly children?: ComponentChildren;
}

/** What stands against a job before anything is sent, and the way to the plans. */
export function ObstacleNotice({ obstacle, children }: ObstacleNoticeProps) {
  const mode = overview.value?.access.mode;
  return (
    <Notice
      tone="warning"
      title={obstacle.title}
      actions={
        <>
          {children}
          {mode !== "paid" && (
            <a class="button button-main" href="/studio/usage">
              {mode === "blocked" ? "Usage and billing" : "See plans"}
            </a>
          )}
        </>
      }
    >
      {obstacle.text}
    </Notice>
  );
}
