import { useEffect } from "preact/hooks";
import { Page } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { useLoaded } from "../../state/loaded.ts";
import { overview, refreshAccount } from "../../state/session.ts";
import { Payment } from "./payment.tsx";
import { Plan } from "./plan.tsx";
import { UseByDay } from "./use-by-day.tsx";
import "./usage.css";

/** What the account used, what it may use, and how it pays. */
export default function Usage() {
  const { error, reload } = useLoaded(refreshAccount);
  useEffect(() => {
    // Who comes back from the payment provider by the browser's button gets the page as it was left.
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
      {overview.value === null ? <Waiting what="Loading your plan" /> : <Plan overview={overview.value} />}
      <UseByDay />
    </Page>
  );
}
