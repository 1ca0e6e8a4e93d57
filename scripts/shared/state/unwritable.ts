import { Failure } from "../command-line.ts";
import { messageOf } from "../error-parts.ts";

const IS_FULL = /\b(ENOSPC|EDQUOT|SQLITE_FULL)\b/;
const IS_FORBIDDEN = /\b(EACCES|EPERM|EROFS)\b/;

/**
 * Returns the failure to print if an error, also one of a child process, says that the state folder could not be written. Returns any
 * other error unchanged.
 */
export function unwritable(error: unknown, folder: string): unknown {
  const message = messageOf(error);
  if (IS_FULL.test(message))
    return new Failure(`The disk of ${folder} is full. Free space, or set STATE_DIR to a folder elsewhere.`);
  if (IS_FORBIDDEN.test(message))
    return new Failure(
      `You may not write to ${folder} (${message}). Change its permissions, or set STATE_DIR to another folder.`,
    );
  return error;
}
