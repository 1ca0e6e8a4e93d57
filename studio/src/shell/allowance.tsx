import { overview } from "../state/session.ts";
import "./allowance.css";

const DAY_MS = 86_400_000;

/** How long until a time, in words that are short. */
function left(until: string): string {
  const days = Math.ceil((Date.parse(until) - Date.now()) / DAY_MS);
  return days === 1 ? "last day" : `${days} days`;
}

/** What is left of the trial, or which plan it is; it leads to the page with the rest. */
export function Allowance() {
  const state = overview.value;
  if (state === null) return null;
  const { access, trial } = state;
  if (access.mode === "paid")
    return (
      <a class="allowance" href="/studio/usage">
        Paid plan
      </a>
    );
  if (trial.status !== "active")
    return (
      <a class={trial.status === "eligible" ? "allowance" : "allowance allowance-over"} href="/studio/usage">
        {trial.status === "eligible" ? `${trial.grantTokens} free pictures` : "Trial ended"}
      </a>
    );
  return (
    <a class="allowance" href="/studio/usage" aria-label="Your remaining trial">
      <meter min={0} max={trial.grantTokens} value={trial.remainingTokens} />
      <span>
        {trial.remainingTokens} left{trial.expiresAt === null ? "" : `, ${left(trial.expiresAt)}`}
      </span>
    </a>
  );
}
