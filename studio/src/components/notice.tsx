import type { ComponentChildren } from "preact";
import "./notice.css";

export interface NoticeProps {
  readonly tone?: "plain" | "warning" | "danger";
  readonly title: string;
  readonly children?: ComponentChildren;
  /** What can be done about it: buttons and links. */
  readonly actions?: ComponentChildren;
}

/** Tells what happened and what to do. A screen reader says it when it appears. */
export function Notice({ tone = "plain", title, children, actions }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <div>
        <p class="notice-title">{title}</p>
        {children !== undefined && <div class="notice-text">{children}</div>}
      </div>
      {actions !== undefined && <div class="notice-actions">{actions}</div>}
    </div>
  );
}
