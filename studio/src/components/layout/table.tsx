import type { ComponentChildren } from "preact";
import { signal } from "@preact/signals";
import { fullTime, relativeTime } from "../../text/format.ts";
import "./table.css";

interface Column {
  readonly name: string;
  /** True if only screen readers get the name, because the cells speak for themselves. */
  readonly isNameHidden?: boolean;
}

interface TableProps {
  /** Contents of the table, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column[];
  /** Its rows. On a phone each becomes a block, and a cell's `data-label` is its heading. */
  readonly children: ComponentChildren;
}

/** A table of a few rows. */
export const Table = ({ label, columns, children }: TableProps) => (
  <table class="table" aria-label={label}>
    <thead>
      <tr>
        {columns.map(({ name, isNameHidden = false }) => (
          <th key={name} scope="col">
            {isNameHidden ? <span class="unseen">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

export interface StatusBadgeProps {
  /** Its meaning: waiting, in progress, succeeded, failed, or inactive. */
  readonly tone: "waiting" | "working" | "good" | "bad" | "off";
  readonly children: ComponentChildren;
}

/** A state in a word, with a sign whose form differs too: color alone says nothing. */
export const StatusBadge = ({ tone, children }: StatusBadgeProps) => (
  <span class={`status-badge status-badge-${tone}`}>
    <svg viewBox="0 0 12 12" aria-hidden="true">
      {tone === "good" && <path d="M2.500 6.200 5 8.700l4.500-5.200" />}
      {tone === "bad" && <path d="M3 3l6 6M9 3l-6 6" />}
      {tone === "off" && <path d="M2.500 6h7" />}
      {(tone === "waiting" || tone === "working") && <circle cx="6" cy="6" r="4" />}
    </svg>
    {children}
  </span>
);

/** A time (ISO 8601) relative to now; the full time is its title. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={fullTime(at)}>
    {relativeTime(at, Math.max(now.value, Date.now()))}
  </time>
);

const STEP_MS = 20_000;

/** The time (epoch ms) by which the screens say how long ago something was; updated while the tab is visible. */
const now = signal(Date.now());

const update = (): void => {
  if (document.visibilityState === "visible") now.value = Date.now();
};
setInterval(update, STEP_MS);
document.addEventListener("visibilitychange", update);
