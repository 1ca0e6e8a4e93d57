import { useSignal } from "@preact/signals";
import { Button } from "../../components/controls/button.tsx";
import { EmptyState } from "../../components/layout/page.tsx";
import { Problem, Waiting } from "../../components/layout/notice.tsx";
import { useAction, useLoaded, usePoll } from "../../state/requests.ts";
import { api } from "../../state/session.ts";
import { continued, type Listed, refreshed } from "../../state/listed.ts";
import { RelativeTime, StatusBadge, type StatusBadgeProps, Table } from "../../components/layout/table.tsx";
import { counted } from "../../text/format.ts";
import { attemptText, type Delivery, deliveryText, type Endpoint, subjectOf } from "./delivery-words.ts";

const POLL_MS = 2_000;

/** Deliveries to an endpoint, the newest first; pending ones are polled. */
export function Deliveries({ endpoint }: { readonly endpoint: Endpoint }) {
  const { endpointId, disabled } = endpoint;
  const list = useSignal<Listed<Delivery> | null>(null);
  const { busy, error, run } = useAction();
  const page = async (nextToken?: string, signal?: AbortSignal): Promise<Listed<Delivery>> => {
    const query = { endpointId, limit: 25, ...(nextToken !== undefined && { nextToken }) };
    const answer = await api.value.listWebhookDeliveries(query, { signal });
    return { items: answer.items, nextToken: answer.nextToken };
  };
  const refresh = async (signal?: AbortSignal): Promise<void> => {
    const first = await page(undefined, signal);
    list.value = list.value === null ? first : refreshed(list.value, first, ({ deliveryId }) => deliveryId);
  };
  const first = useLoaded(refresh);
  /** Performs a person's action; the list shows its effect. */
  const act = (ask: () => Promise<unknown>): void =>
    void run(async () => {
      await ask();
      await refresh();
    });
  const retry = ({ deliveryId }: Delivery): void =>
    act(async () => await api.value.retryWebhookDelivery({ endpointId, deliveryId }));
  const showOlder = async (nextToken: string): Promise<void> => {
    const next = await page(nextToken);
    if (list.value !== null) list.value = continued(list.value, next);
  };
  const deliveries = list.value?.items ?? [];
  usePoll(refresh, POLL_MS, !disabled && deliveries.some(({ status }) => status === "pending"));
  const nextToken = list.value?.nextToken;
  return (
    <section class="page-part" aria-labelledby="deliveries">
      <header>
        <h2 id="deliveries">Deliveries</h2>
        <Button
          disabled={disabled}
          busy={busy.value}
          onClick={() => act(async () => await api.value.testWebhookEndpoint({ endpointId }))}
        >
          Send test event
        </Button>
      </header>
      {error.value !== null && <Problem error={error.value} />}
      {first.error.value !== null && <Problem error={first.error.value} onRetry={first.reload} />}
      {list.value === null && first.error.value === null && <Waiting what="Loading deliveries" />}
      {list.value !== null && deliveries.length === 0 && (
        <EmptyState title="No deliveries yet">
          The next job that finishes appears here. Send a test event to check that your server responds.
        </EmptyState>
      )}
      {deliveries.length > 0 && (
        <ol class="deliveries-list">
          {deliveries.map((delivery) => (
            <DeliveryItem
              key={delivery.deliveryId}
              delivery={delivery}
              onRetry={disabled ? undefined : () => retry(delivery)}
            />
          ))}
        </ol>
      )}
      {nextToken && (
        <div>
          <Button busy={busy.value} onClick={() => void run(async () => await showOlder(nextToken))}>
            Show older deliveries
          </Button>
        </div>
      )}
    </section>
  );
}

const TONES: Record<Delivery["status"], StatusBadgeProps["tone"]> = {
  pending: "working",
  succeeded: "good",
  failed: "bad",
};

interface DeliveryItemProps {
  readonly delivery: Delivery;
  /** Tries it once more; nothing while the endpoint is disabled. */
  readonly onRetry: (() => void) | undefined;
}

/** An event on its way to an endpoint, with the attempts inside. */
function DeliveryItem({ delivery, onRetry }: DeliveryItemProps) {
  const { deliveryId, status, event, attempts, nextAttemptAt } = delivery;
  const jobId = subjectOf(delivery);
  return (
    <li class="delivery">
      <details>
        <summary>
          <code class="delivery-type">{event.type}</code>
          <StatusBadge tone={TONES[status]}>{deliveryText(delivery)}</StatusBadge>
          <span class="delivery-time">
            <RelativeTime at={event.timestamp} />
          </span>
        </summary>
        <div class="delivery-more">
          <p class="delivery-ids fine">
            <code>{deliveryId}</code>
            {jobId !== null && (
              <a href={`/studio/jobs/${jobId}`}>
                <code>{jobId}</code>
              </a>
            )}
          </p>
          {attempts.length > 0 && (
            <Table
              label={`Attempts of ${deliveryId}`}
              columns={[{ name: "Attempt" }, { name: "Result" }, { name: "Duration" }]}
            >
              {attempts.map((attempt) => (
                <tr key={attempt.attemptedAt}>
                  <td>
                    <RelativeTime at={attempt.attemptedAt} />
                  </td>
                  <td>{attemptText(attempt)}</td>
                  <td class="table-faint">
                    {attempt.milliseconds !== null && counted(attempt.milliseconds, "ms", "ms")}
                  </td>
                </tr>
              ))}
            </Table>
          )}
          {nextAttemptAt !== null && onRetry !== undefined && (
            <p>
              Next attempt: <RelativeTime at={nextAttemptAt} />.
            </p>
          )}
          {onRetry !== undefined && <Button onClick={onRetry}>Retry now</Button>}
        </div>
      </details>
    </li>
  );
}
