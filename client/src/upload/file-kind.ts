/** Detects what files are. The table is large, so it is loaded when it is first needed. */
export { fileKindOf, HEAD_BYTES } from "@segmentation/masks";
