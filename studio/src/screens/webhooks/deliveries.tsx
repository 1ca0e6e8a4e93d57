import { useSignal } from "@preact/signals";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/problem.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { useLoaded } from "../../state/loaded.ts";
import { usePoll } from "../../state/poll.ts";
import { api } from "../../state/session.ts";
import type { Delivery, Endpoint } from "./delivery-words.ts";
import { DeliveryItem } from "./delivery-item.tsx";
import { continued, type Listed, refreshed } from "../../state/listed.ts";

const POLL_MS = 2_000;

/** What was sent to an endpoint, the newest first; what is on its way is looked at again and again. */
export function Deliveries({ endpoint }: { readonly endpoint: Endpoint }) {
  const { endpointId, disabled } = endpoint;
  const list = useSignal<Listed<Delivery> | null>(null);
  const error = useSignal<unknown>(null);
  const busy = useSignal(false);
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
  /** Does something that people asked for; the list shows what it did. */
  const act = async (ask: () => Promise<unknown>): Promise<void> => {
    busy.value = true;
    error.value = null;
    try {
      await ask();
      await refresh();
    } catch (reason) {
      error.value = reason;
    }
    busy.value = false;
  };
  const deliveries = list.value?.items ?? [];
  usePoll(refresh, POLL_MS, !disabled && deliveries.some(({ status }) => status === "pending"));
  const nextToken = list.value?.nextToken;
  return (
    <section class="deliveries" aria-labelledby="deliveries">
      <header>
        <h2 id="deliveries">Deliveries</h2>
        <Button
          disabled={disabled}
          busy={busy.value}
          onClick={() => void act(async () => await api.value.testWebhookEndpoint({ endpointId }))}
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
              onRetry={
                disabled
                  ? undefined
                  : () =>
                      void act(
                        async () =>
                          await api.value.retryWebhookDelivery({
                            endpointId,
                            deliveryId: delivery.deliveryId,
                          }),
                      )
              }
            />
          ))}
        </ol>
      )}
      {nextToken && (
        <div>
          <Button
            busy={busy.value}
            onClick={() =>
              void act(async () => {
                const next = await page(nextToken);
                if (list.value !== null) list.value = continued(list.value, next);
              })
            }
          >
            Show older deliveries
          </Button>
        </div>
      )}
    </section>
  );
}
