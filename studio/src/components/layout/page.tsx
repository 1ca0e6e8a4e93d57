import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { config } from "../../state/config.ts";
import "./page.css";

interface PageProps {
  readonly title: string;
  /** What the page is for, in a sentence. */
  readonly lead?: ComponentChildren;
  /** What can be done on the whole page. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page of text, lists and forms, with its heading. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${config.value.name}`;
  }, [title]);
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p class="page-lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface EmptyStateProps {
  readonly title: string;
  /** What will appear here, and how to get it. */
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
