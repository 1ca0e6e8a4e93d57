import type { FaultTable } from "./draws.ts";

/*
 * Every fault, with its probability. A lost attempt costs one of three, so faults that lose one are the rarest: most tasks must
 * still succeed.
 */

/** Of a queue's message. */
export const MESSAGE_FAULTS = [
  ["message_dropped", 0.1],
  ["message_delayed", 0.1],
  ["message_doubled", 0.1],
  ["message_doubled_later", 0.1],
] as const satisfies FaultTable<string>;

/** Of an alarm, each time that it is set. */
export const ALARM_FAULTS = [["alarm_late", 0.2]] as const satisfies FaultTable<string>;

/** A message that another of its batch overtakes. Each batch is shuffled. */
export const REORDERED = "message_reordered";

/** Of the offer of a task to the inference service. */
export const OFFER_FAULTS = [
  ["offer_refused", 0.05],
  ["offer_answer_lost", 0.05],
  ["offer_hung", 0.01],
  ["service_killed", 0.005],
  ["engine_killed", 0.01],
] as const satisfies FaultTable<string>;

/** Of the report of a task's end. */
export const COMPLETION_FAULTS = [
  ["completion_lost", 0.01],
  ["completion_late", 0.03],
  ["completion_refused", 0.05],
  ["completion_answer_lost", 0.05],
  ["completion_doubled", 0.05],
  ["completion_hung", 0.01],
] as const satisfies FaultTable<string>;

/** Of any other request between Worker and inference service: heartbeats, requests for signed URLs, cancellations. */
export const OTHER_FAULTS = [["request_refused", 0.03]] as const satisfies FaultTable<string>;

export const ALL_FAULTS: readonly string[] = [
  REORDERED,
  ...[...MESSAGE_FAULTS, ...ALARM_FAULTS, ...OFFER_FAULTS, ...COMPLETION_FAULTS, ...OTHER_FAULTS].map(
    ([fault]) => fault,
  ),
];
