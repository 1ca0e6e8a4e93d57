import { useEffect, useState } from "preact/hooks";
import { SegmentationError } from "segmentation-client";
import { Page } from "../../components/layout/page.tsx";
import { Notice, Problem, Waiting } from "../../components/layout/notice.tsx";
import { useAction, useLoaded } from "../../state/requests.ts";
import { type AccountOverview, api, overview, refreshAccount } from "../../state/session.ts";
import { config, type StudioConfig } from "../../state/config.ts";
import { Button } from "../../components/controls/button.tsx";
import { Table } from "../../components/layout/table.tsx";
import { counted } from "../../text/format.ts";
import { UseByDay } from "./use-by-day.tsx";
import { planInWords, plansInWords } from "./plan-in-words.ts";
import "./usage.css";

/** The account's usage, limits and payment. */
export default function Usage() {
  const { error, reload } = useLoaded(refreshAccount);
  useEffect(() => {
    // A person who returns from the payment provider by the browser's button gets the cached page.
    const comeBack = (event: PageTransitionEvent): void => {
      if (event.persisted) reload();
    };
    addEventListener("pageshow", comeBack);
    return () => removeEventListener("pageshow", comeBack);
  }, [reload]);
  return (
    <Page title="Usage and billing">
      <Payment />
      {error.value !== null && <Problem error={error.value} onRetry={reload} />}
      {overview.value === null ? <Waiting what="Loading your plan" /> : <Plan state={overview.value} />}
      <UseByDay />
    </Page>
  );
}

const PAGES = {
  checkout: { name: "Upgrade", ask: async () => await api.value.createCheckout() },
  portal: { name: "Manage billing", ask: async () => await api.value.createBillingPortal() },
} as const;

/** State of the account, with links to the payment provider's pages. */
function Plan({ state }: { readonly state: AccountOverview }) {
  const { busy, error, run } = useAction();
  const { title, text, meter, page, isUrgent } = planInWords(state);
  const { paidPlan } = config.value;
  const isClosed = page === "checkout" && paidPlan === null;
  const leaveFor = (which: keyof typeof PAGES): void =>
    void run(async () => location.assign((await PAGES[which].ask()).url));
  const code = error.value instanceof SegmentationError ? error.value.code : null;
  return (
    <section class="plan" aria-labelledby="plan">
      <div class="plan-words">
        <h2 id="plan">{title}</h2>
        {meter !== null && <meter min={0} max={meter.of} value={meter.left} aria-label="Trial remaining" />}
        <p>{text}</p>
        <p>{counted(state.tokenUsageLast24h, "unit")} in the last 24 hours.</p>
      </div>
      {page === "checkout" && paidPlan !== null && <Plans state={state} paid={paidPlan} />}
      {page !== null && !isClosed && (
        <Button
          variant={isUrgent || page === "checkout" ? "main" : "plain"}
          busy={busy.value}
          onClick={() => leaveFor(page)}
        >
          {PAGES[page].name}
        </Button>
      )}
      {isClosed && (
        <Notice tone="warning" title="Billing is not set up">
          This service does not take payments. Ask its operator for a paid plan.
        </Notice>
      )}
      {code === "subscription_exists" && (
        <Notice
          tone="warning"
          title="You already have a subscription"
          actions={<Button onClick={() => leaveFor("portal")}>{PAGES.portal.name}</Button>}
        >
          It may have an unpaid invoice.
        </Notice>
      )}
      {error.value !== null && code !== "subscription_exists" && <Problem error={error.value} />}
    </section>
  );
}

interface PlansProps {
  readonly state: AccountOverview;
  readonly paid: NonNullable<StudioConfig["paidPlan"]>;
}

/** Changes by an upgrade, shown before the checkout. */
const Plans = ({ state, paid }: PlansProps) => (
  <Table
    label="Plans"
    columns={[{ name: "What it is", isNameHidden: true }, { name: "Free trial" }, { name: "Paid plan" }]}
  >
    {plansInWords(state, paid).map(([what, onTrial, onPaid]) => (
      <tr key={what}>
        <th scope="row">{what}</th>
        <td data-label="Free trial:">{onTrial}</td>
        <td data-label="Paid plan:">{onPaid}</td>
      </tr>
    ))}
  </Table>
);

/** Outcome of the checkout, from the payment provider's return URL: docs/billing.md, `BILLING_RETURN_URL`. */
type Outcome = "success" | "canceled" | null;

const PAUSE_MS = 1_500;
/** The provider notifies the service by a separate request, which usually takes seconds. */
const PATIENCE_MS = 60_000;

const isPaid = (): boolean => overview.value?.access.mode === "paid";

/** Takes the outcome out of the address, so that a reload does not show it again. */
function takeOutcome(): Outcome {
  const query = new URLSearchParams(location.search);
  const outcome = query.get("checkout");
  if (outcome === null) return null;
  query.delete("checkout");
  history.replaceState(history.state, "", `${location.pathname}${query.size > 0 ? `?${query}` : ""}`);
  return outcome === "success" || outcome === "canceled" ? outcome : null;
}

/** Asks until the service has heard of the payment, or the patience has ended. */
async function waitUntilPaid(signal: AbortSignal): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!signal.aborted && !isPaid() && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    // A failure passes with the next round, or the page shows it elsewhere.
    await refreshAccount().catch(() => {});
  }
}

/** Shows a person who comes back from the checkout how it ended, and the new plan once the service knows of it. */
function Payment() {
  const [outcome] = useState(takeOutcome);
  const arrival = useLoaded(async (signal) => {
    if (outcome === "success") await waitUntilPaid(signal);
    return "waited" as const;
  });
  if (outcome === null) return null;
  if (outcome === "canceled")
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
