import { useSignal } from "@preact/signals";
import { lazyPart } from "../../components/lazy/lazy-part.tsx";
import { EmptyState } from "../../components/layout/page.tsx";
import { Loading } from "../../components/layout/notice.tsx";
import { Table } from "../../components/layout/table.tsx";
import { useLoaded } from "../../state/requests.ts";
import { api } from "../../state/session.ts";
import { counted, dateText, numberText } from "../../text/format.ts";
import { barsOf, type Days, periodOf, PERIODS, totalOf, type UsageDay } from "./days.ts";

const UsageChart = lazyPart(async () => (await import("./usage-chart.tsx")).default);

/** The account's usage by day, in a period that is chosen here. */
export function UseByDay() {
  const days = useSignal<Days>(30);
  const loaded = useLoaded(
    async (signal) => (await api.value.getAccountUsage(periodOf(days.value, Date.now()), { signal })).days,
    [days.value],
  );
  const used = loaded.value.value;
  const total = totalOf(used ?? []);
  return (
    <section class="page-part" aria-labelledby="use-by-day">
      <header>
        <h2 id="use-by-day">Daily usage</h2>
        <fieldset class="use-by-day-period">
          <legend class="unseen">Period</legend>
          {PERIODS.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="period"
                checked={each === days.value}
                onChange={() => (days.value = each)}
              />
              <span>{each === 365 ? "1 year" : `${each} days`}</span>
            </label>
          ))}
        </fieldset>
      </header>
      <Loading of={loaded} what="Loading usage" />
      {used !== undefined && total.jobs === 0 && (
        <EmptyState title="No usage in this period">
          Each picture is one unit, and so is each processed frame of a video.{" "}
          <a href="/studio">Segment a picture</a> to see it here.
        </EmptyState>
      )}
      {used !== undefined && total.jobs > 0 && (
        <>
          <p class="use-by-day-sum" aria-live="polite">
            <strong>{counted(total.units, "unit")}</strong> in {counted(total.jobs, "job")}
          </p>
          <UsageChart bars={barsOf(used)} />
          <DayTable days={used} />
        </>
      )}
    </section>
  );
}

/** The same as a table: the days on which something was used, the newest first. */
function DayTable({ days }: { readonly days: readonly UsageDay[] }) {
  const used = days.filter(({ jobs }) => jobs > 0).toReversed();
  return (
    <details class="page-more use-by-day-table">
      <summary>Show as a table</summary>
      <Table label="Daily usage" columns={[{ name: "Day (UTC)" }, { name: "Units" }, { name: "Jobs" }]}>
        {used.map(({ date, units, jobs }) => (
          <tr key={date}>
            <td>{dateText(date)}</td>
            <td data-label="Units">{numberText(units)}</td>
            <td data-label="Jobs">{numberText(jobs)}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}
