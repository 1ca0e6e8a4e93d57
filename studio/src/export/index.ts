/** What can be taken away of a job. Heavy: to be imported when it is asked for. */
export { TakeAway } from "./take-away.tsx";
export type { Order } from "./code/order.ts";
export type { TakeAwayProps, TakenMask, TakenPicture } from "./types.ts";
