/** Characters that JSON leaves unescaped, but that a YAML reader may refuse or take for a line break. */
const UNREADABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text as a double-quoted YAML scalar: a JSON string is one. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    UNREADABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The `data.yaml` of a job's YOLO labels: the names of its classes, in the order of their numbers, and the folder for the
 * pictures, beside `labels`.
 */
export const yoloDataset = (names: readonly string[]): string =>
  [
    "train: images",
    "val: images",
    "names:",
    ...names.map((name, index) => `  ${index}: ${quoted(name)}`),
    "",
  ].join("\n");
