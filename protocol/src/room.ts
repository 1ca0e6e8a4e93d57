import { z } from "zod";
import { delivery, Lane } from "./task.ts";

/** A waiting task: the fields that decide its place in the service's order. */
export const WaitingTask = z.object({
  lane: Lane,
  type: z.enum(["image", "video"]),
  account: delivery.account,
  acceptedAt: delivery.acceptedAt,
});
export type WaitingTask = z.infer<typeof WaitingTask>;

/** Asks whether tasks would find room if they were offered now, in this order. */
export const RoomRequest = z.object({ tasks: z.array(WaitingTask).min(1).max(100).readonly() });
export type RoomRequest = z.infer<typeof RoomRequest>;

/** One answer for each task of the request, in its order. The service reserves nothing. */
export const RoomAnswer = z.object({ room: z.array(z.boolean()) });
export type RoomAnswer = z.infer<typeof RoomAnswer>;
