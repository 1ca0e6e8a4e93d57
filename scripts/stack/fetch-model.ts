import { ensureBuiltin } from "../../inference-container/src/models/fetch/ensure-builtin.ts";
import { messageOf } from "../shared/error-parts.ts";

/** Puts the embedded model on this machine and prints its folder; sentences and the progress bar go to stderr. */
try {
  console.log(await ensureBuiltin());
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
