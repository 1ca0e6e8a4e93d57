import { Button } from "../../components/button.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { StatusBadge, type StatusBadgeProps } from "../../components/status-badge.tsx";
import { Table } from "../../components/table.tsx";
import { counted } from "../../text/counted.ts";
import { attemptText, type Delivery, deliveryText, subjectOf } from "./delivery-words.ts";

const TONES: Record<Delivery["status"], StatusBadgeProps["tone"]> = {
  pending: "working",
  succeeded: "good",
  failed: "bad",
};

export interface DeliveryItemProps {
  readonly delivery: Delivery;
  /** Tries it once more; nothing while the endpoint is disabled. */
  readonly onRetry: (() => void) | undefined;
}

/** An event on its way to an endpoint, with the attempts inside. */
export function DeliveryItem({ delivery, onRetry }: DeliveryItemProps) {
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
          <p class="delivery-ids">
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
