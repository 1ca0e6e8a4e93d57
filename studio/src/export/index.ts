/** What can be taken away of a job. Heavy: to be imported when it is asked for. */
export { ExportDialog } from "./export-dialog.tsx";
export type { Order } from "./code/order.ts";
export type { ExportDialogProps, ExportMask, ExportPicture } from "./types.ts";
