import type { Answer } from "segmentation-client";
import { counted } from "../../text/format.ts";

export type Endpoint = Answer<"listWebhookEndpoints">["items"][number];
export type Delivery = Answer<"listWebhookDeliveries">["items"][number];
type Attempt = Delivery["attempts"][number];
export type EventType = Delivery["event"]["type"];

/** The types of events that an endpoint may choose; a test is always sent. */
export const EVENTS = [
  ["job.succeeded", "A job finished, and at least one of its tasks succeeded"],
  ["job.failed", "A job finished, and all of its tasks failed"],
  ["archive.ready", "A job’s archive is ready"],
  ["archive.failed", "A job’s archive could not be built"],
] as const satisfies readonly (readonly [EventType, string])[];

/** The events that an endpoint gets. */
export function eventsText(events: Endpoint["events"]): string {
  const chosen = events?.filter((event) => event !== "test");
  if (chosen === undefined) return "All events";
  return chosen.length === 0 ? "Test events only" : chosen.join(", ");
}

const ERRORS: Record<NonNullable<Attempt["error"]>, string> = {
  timeout: "No response within 15 seconds",
  unreachable: "Connection failed",
  url_forbidden: "The service does not deliver to this URL",
  interrupted: "Interrupted; the request may have arrived",
};

/** Describes the outcome of an attempt. */
export function attemptText({ status, milliseconds, error }: Attempt): string {
  if (error !== null) return ERRORS[error];
  if (status !== null) return `Responded with ${status}`;
  return milliseconds === null ? "In progress" : "No response";
}

/** The reason why an endpoint is disabled, and the remedy. */
export const DISABLED: Record<NonNullable<Endpoint["disabledReason"]>, string> = {
  by_account:
    "You disabled this endpoint. Pending deliveries resume when you enable it; events in the meantime are not sent.",
  gone: "It responded with 410 Gone. Enable it if that was a mistake.",
  no_success: "No delivery has succeeded in five days. Fix the endpoint, then enable it.",
  secret_unreadable:
    "The operator changed the service’s own secret, so this endpoint’s secret can no longer be read. Rotate the secret, then enable the endpoint.",
};

/** Describes a delivery in a sentence. */
export function deliveryText({ status, attempts }: Pick<Delivery, "status" | "attempts">): string {
  const tried = counted(attempts.length, "attempt");
  if (status === "succeeded") return attempts.length === 1 ? "Delivered" : `Delivered after ${tried}`;
  if (status === "failed") return `Failed after ${tried}`;
  return attempts.length === 0 ? "Pending" : `Retrying after ${tried}`;
}

/** The id of the job that a delivery is about; null for a test. */
export const subjectOf = ({ event }: Pick<Delivery, "event">): string | null =>
  event.type === "test" ? null : event.data.jobId;
