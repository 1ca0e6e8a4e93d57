import type { ComponentChildren } from "preact";
import "./status-badge.css";

export interface StatusBadgeProps {
  /** What it means: it waits, it is under way, it went well or badly, or nothing happens with it. */
  readonly tone: "waiting" | "working" | "good" | "bad" | "off";
  readonly children: ComponentChildren;
}

/** A state in a word, with a sign whose form differs too: colour alone says nothing. */
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
