import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { useLoaded } from "../../state/loaded.ts";
import { overview, refreshAccount } from "../../state/session.ts";

/** What the page to which the payment provider returns was told: docs/billing.md, `BILLING_RETURN_URL`. */
type Outcome = "success" | "cancelled" | null;

const PAUSE_MS = 1_500;
/** The provider tells the service by a request of its own, which usually takes seconds. */
const PATIENCE_MS = 60_000;

const isPaid = (): boolean => overview.value?.access.mode === "paid";

/** Takes the outcome out of the address, so that a reload does not tell it again. */
function takeOutcome(): Outcome {
  const query = new URLSearchParams(location.search);
  const outcome = query.get("checkout");
  if (outcome === null) return null;
  query.delete("checkout");
  history.replaceState(history.state, "", `${location.pathname}${query.size > 0 ? `?${query}` : ""}`);
  return outcome === "success" || outcome === "cancelled" ? outcome : null;
}

/** Asks until the service has heard of the payment, or the patience has ended. */
async function waitUntilPaid(signal: AbortSignal): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!signal.aborted && !isPaid() && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    // A failure passes with the next round, or the page tells of it elsewhere.
    await refreshAccount().catch(() => {});
  }
}

/** Tells somebody who comes back from the checkout how it ended, and shows the new plan once the service knows of it. */
export function Payment() {
  const [outcome] = useState(takeOutcome);
  const arrival = useLoaded(async (signal) => {
    if (outcome === "success") await waitUntilPaid(signal);
    return "waited" as const;
  });
  if (outcome === null) return null;
  if (outcome === "cancelled")
    return <Notice title="Nothing was paid">You left the checkout. Your plan is unchanged.</Notice>;
  if (isPaid())
    return <Notice title="Thank you: you are on the paid plan">Pick up where you left off.</Notice>;
  return arrival.value.value === undefined ? (
    <Notice title="Your payment is being processed">Your plan changes here as soon as it arrives.</Notice>
  ) : (
    <Notice
      tone="warning"
      title="Your payment has not arrived yet"
      actions={<Button onClick={arrival.reload}>Check again</Button>}
    >
      This can take a few minutes. You don’t need to stay on this page.
    </Notice>
  );
}
