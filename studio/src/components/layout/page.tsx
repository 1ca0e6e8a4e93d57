import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { config } from "../../state/config.ts";
import "./page.css";

interface PageProps {
  readonly title: string;
  /** Purpose of the page, in a sentence. */
  readonly lead?: ComponentChildren;
  /** Actions for the whole page. */
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
  /** Explanation of the page's future content. */
  readonly children: ComponentChildren;
  /** The first step. */
  readonly action?: ComponentChildren;
}

/** Placeholder for an empty list. */
export const EmptyState = ({ title, children, action }: EmptyStateProps) => (
  <div class="empty-state">
    <h2>{title}</h2>
    <div class="empty-state-text">{children}</div>
    {action !== undefined && <div class="empty-state-action">{action}</div>}
  </div>
);
