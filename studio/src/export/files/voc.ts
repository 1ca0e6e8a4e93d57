import type { CocoPart } from "../../render/coco.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Characters that XML 1.0 has no way to write. */
// oxlint-disable-next-line no-control-regex
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escaped = (text: string): string =>
  text.replaceAll(UNWRITABLE, "\ufffd").replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? "");

/** Describes the objects of a picture as Pascal VOC does: a box for each, whose first pixel is 1. */
export function vocOf(
  fileName: string,
  { width, height, objects }: CocoPart,
  names: readonly string[],
): string {
  const boxes = objects.map(({ classIndex, bbox: [left, top, across, down] }) =>
    [
      "  <object>",
      `    <name>${escaped(names[classIndex] ?? "")}</name>`,
      "    <truncated>0</truncated>",
      "    <difficult>0</difficult>",
      `    <bndbox><xmin>${left + 1}</xmin><ymin>${top + 1}</ymin><xmax>${left + across}</xmax><ymax>${top + down}</ymax></bndbox>`,
      "  </object>",
    ].join("\n"),
  );
  return [
    "<annotation>",
    "  <folder>images</folder>",
    `  <filename>${escaped(fileName)}</filename>`,
    `  <size><width>${width}</width><height>${height}</height><depth>3</depth></size>`,
    "  <segmented>0</segmented>",
    ...boxes,
    "</annotation>",
    "",
  ].join("\n");
}
