import { counted } from "../../../text/format.ts";
import type { ComponentChildren } from "preact";
import { Notice } from "../../../components/layout/notice.tsx";
import { overview } from "../../../state/session.ts";
import type { Obstacle } from "../../../workspace/rules/obstacles.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

interface ObstacleNoticeProps {
  readonly obstacle: Obstacle;
  /** Further actions. */
  readonly children?: ComponentChildren;
}

/** Notice of an obstacle to a job, with a link to the plans. */
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

/** Notice of files that were given and not taken. */
export function Refused({ workspace }: { readonly workspace: Workspace }) {
  const sentences = workspace.refused.value;
  if (sentences.length === 0) return null;
  return (
    <Notice
      tone="warning"
      title={`${counted(sentences.length, "item")} not added`}
      onClose={() => (workspace.refused.value = [])}
    >
      <ul>
        {sentences.slice(0, 3).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {sentences.length > 3 && <li>And {sentences.length - 3} more.</li>}
      </ul>
    </Notice>
  );
}
