/** Characters that a reader of YAML may refuse or take for the end of a line, though JSON lets them stand. */
const UNREADABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text as a YAML scalar in double quotes: JSON's string is one. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    UNREADABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The `data.yaml` of a job's labels for YOLO: the names of its classes, in the order of their numbers, and the folder that the
 * pictures belong into, beside `labels`.
 */
export const yoloDataset = (names: readonly string[]): string =>
  [
    "train: images",
    "val: images",
    "names:",
    ...names.map((name, index) => `  ${index}: ${quoted(name)}`),
    "",
  ].join("\n");
