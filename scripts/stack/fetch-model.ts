import { ensureBuiltin } from "../../inference-container/src/models/fetch/ensure-builtin.ts";
import { messageOf } from "../shared/error-parts.ts";

/** Downloads the embedded model if needed and prints its folder. Messages and the progress bar go to stderr. */
try {
  console.log(await ensureBuiltin());
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
