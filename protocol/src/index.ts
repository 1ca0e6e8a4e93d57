/**
 * The protocol between the Worker and the inference service, the one authority for both sides.
 *
 * Worker → service, `Authorization: Bearer <INFERENCE_TOKEN>`:
 *   POST   /v1/tasks        TaskRequest → 202 TaskState (new or already known key), 400 (will never be accepted),
 *                           401 and 403 (an operator's setting is wrong), 409 (canceled), 429 (lane full) and 503
 *                           (not ready or draining), both with Retry-After; all but 202 with { error, message }
 *   POST   /v1/room         RoomRequest → 200 RoomAnswer, 503 (not ready or draining)
 *                           Both: 412 if the Worker's version of the protocol, `x-protocol`, is not the service's
 *   GET    /v1/tasks/{key}  → 200 TaskState, 404
 *   GET    /v1/model        → 200 ModelDescription, 503 (no model is loaded yet)
 *   DELETE /v1/tasks/{key}  → 204: stop the task, or refuse it if it is yet to come; nothing is reported for it
 * Requests about an upload carry its digest in `x-picture`, for load balancers that hash: the same upload has the same digest.
 *
 * Service → Worker, `Authorization: Bearer <callbackToken>` (a token signed for one lease):
 *   POST {callbackUrl}/outputs   OutputsRequest  → 200 OutputsGrant
 *   POST {callbackUrl}/progress  ProgressReport  → 200 LeaseExtension
 *   POST {callbackUrl}/complete  Completion      → 204; also if what ended the task is repeated
 * Each answers 409 `lease_lost` once the lease is no longer in force: the service then drops the task.
 *
 * A service without an address connects to the Worker's gateway by WebSocket. The gateway sends it the same requests as frames.
 */
export * from "./headers.ts";
export * from "./task.ts";
export * from "./regions.ts";
export * from "./room.ts";
export * from "./model.ts";
export * from "./outputs.ts";
export * from "./formats.ts";
export * from "./coco.ts";
export * from "./task-output.ts";
export * from "./problems.ts";
export * from "./template.ts";
export * from "./text.ts";
export * from "./callbacks.ts";
export * from "./gateway.ts";
