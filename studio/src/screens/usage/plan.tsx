import { useSignal } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";
import { type AccountOverview, api } from "../../state/session.ts";
import { counted } from "../../text/counted.ts";
import { planInWords } from "./plan-in-words.ts";

const PAGES = {
  checkout: { name: "Upgrade to the paid plan", ask: async () => await api.value.createCheckout() },
  portal: { name: "Manage billing", ask: async () => await api.value.createBillingPortal() },
} as const;

/** How the account stands, and the way to the payment provider's pages. */
export function Plan({ overview }: { readonly overview: AccountOverview }) {
  const error = useSignal<unknown>(null);
  const busy = useSignal(false);
  const { title, text, meter, page, isUrgent } = planInWords(overview);
  const leaveFor = async (which: keyof typeof PAGES): Promise<void> => {
    busy.value = true;
    try {
      location.assign((await PAGES[which].ask()).url);
    } catch (reason) {
      error.value = reason;
      busy.value = false;
    }
  };
  const code = error.value instanceof SegmentationError ? error.value.code : null;
  return (
    <section class="plan" aria-labelledby="plan">
      <div class="plan-words">
        <h2 id="plan">{title}</h2>
        {meter !== null && <meter min={0} max={meter.of} value={meter.left} aria-label="Trial remaining" />}
        <p>{text}</p>
        <p>{counted(overview.tokenUsageLast24h, "unit")} in the last 24 hours.</p>
      </div>
      {page !== null && (
        <Button
          look={isUrgent || page === "checkout" ? "main" : "plain"}
          busy={busy.value}
          onClick={() => void leaveFor(page)}
        >
          {PAGES[page].name}
        </Button>
      )}
      {code === "billing_not_configured" && (
        <Notice tone="warning" title="Billing is not set up">
          This service takes no payments yet. Ask its operator for a paid plan.
        </Notice>
      )}
      {code === "subscription_exists" && (
        <Notice
          tone="warning"
          title="You already have a subscription"
          actions={<Button onClick={() => void leaveFor("portal")}>{PAGES.portal.name}</Button>}
        >
          It may have an unpaid invoice.
        </Notice>
      )}
      {error.value !== null && code !== "billing_not_configured" && code !== "subscription_exists" && (
        <Problem error={error.value} />
      )}
    </section>
  );
}
