/** `node inference-container/src/models/fetch-main.ts [NAME]`: puts an embedded model on this machine, and prints its folder. */
import { DownloadError, ModelFolderError } from "./errors.ts";
import { EMBEDDED_NAMES, type EmbeddedName, ensureEmbedded, isEmbedded } from "./fetch/ensure-builtin.ts";

const [name = "builtin"] = process.argv.slice(2);
if (isEmbedded(name)) await fetchEmbedded(name);
else fail(`There is no embedded model "${name}"; there are ${EMBEDDED_NAMES.join(" and ")}.`);

async function fetchEmbedded(chosen: EmbeddedName): Promise<void> {
  try {
    console.log(await ensureEmbedded(chosen));
  } catch (error) {
    if (!(error instanceof DownloadError || error instanceof ModelFolderError)) throw error;
    fail(error.message);
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
