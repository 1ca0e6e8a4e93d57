export { messageOf } from "../../inference-container/src/errors.ts";

/** The code of a system error ("ENOENT"), or undefined. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
