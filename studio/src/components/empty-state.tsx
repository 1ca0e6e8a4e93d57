import type { ComponentChildren } from "preact";
import "./empty-state.css";

export interface EmptyStateProps {
  readonly title: string;
  /** What will be here, and how it gets here. */
  readonly children: ComponentChildren;
  /** The first step. */
  readonly action?: ComponentChildren;
}

/** What stands where nothing is yet. */
export const EmptyState = ({ title, children, action }: EmptyStateProps) => (
  <div class="empty-state">
    <h2>{title}</h2>
    <div class="empty-state-text">{children}</div>
    {action !== undefined && <div class="empty-state-action">{action}</div>}
  </div>
);
