import type { Answer } from "segmentation-client";
import { counted } from "../../text/counted.ts";

export type Endpoint = Answer<"listWebhookEndpoints">["items"][number];
export type Delivery = Answer<"listWebhookDeliveries">["items"][number];
export type Attempt = Delivery["attempts"][number];
export type EventType = Delivery["event"]["type"];

/** The types of events that an endpoint may choose; a test is always sent. */
export const EVENTS = [
  ["job.succeeded", "A job ended, and at least one task succeeded"],
  ["job.failed", "A job ended, and all its tasks failed"],
  ["archive.ready", "A job's zip is ready"],
  ["archive.failed", "A job's zip could not be built"],
] as const satisfies readonly (readonly [EventType, string])[];

/** What an endpoint is told of. */
export function eventsText(events: Endpoint["events"]): string {
  const chosen = events?.filter((event) => event !== "test");
  if (chosen === undefined) return "All events";
  return chosen.length === 0 ? "Tests alone" : chosen.join(", ");
}

const ERRORS: Record<NonNullable<Attempt["error"]>, string> = {
  timeout: "No answer within 15 seconds",
  unreachable: "No connection",
  url_forbidden: "The service does not send to this URL",
  interrupted: "The service was cut off; the request may have arrived",
};

/** How an attempt ended. */
export function attemptText({ status, milliseconds, error }: Attempt): string {
  if (error !== null) return ERRORS[error];
  if (status !== null) return `Answered ${status}`;
  return milliseconds === null ? "Under way" : "No answer";
}

/** Why an endpoint is disabled, and what to do. */
export const DISABLED: Record<NonNullable<Endpoint["disabledReason"]>, string> = {
  by_account: "You disabled it. What waits goes on when you enable it; what happens meanwhile is not sent.",
  gone: "It answered 410, which means that it is gone. Enable it if that was a mistake.",
  no_success: "Nothing that was sent in five days succeeded. Mend it, then enable it.",
  secret_unreadable:
    "The operator changed the service's own secret, and its secret can't be read any more. Rotate the secret first, then enable it.",
};

/** How a delivery is, in a sentence. */
export function deliveryText({ status, attempts }: Pick<Delivery, "status" | "attempts">): string {
  const tried = counted(attempts.length, "attempt");
  if (status === "succeeded") return attempts.length === 1 ? "Delivered" : `Delivered after ${tried}`;
  if (status === "failed") return `Given up after ${tried}`;
  return attempts.length === 0 ? "Waiting" : `Not yet, after ${tried}`;
}

/** What a delivery tells of: a job's id, or that it is a test. */
export const subjectOf = ({ event }: Pick<Delivery, "event">): string | null =>
  event.type === "test" ? null : event.data.jobId;
