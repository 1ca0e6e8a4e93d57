/** `node inference-container/src/models/fetch-main.ts [builtin]`: puts the embedded model on this machine, and prints its folder. */
import { DownloadError, ModelFolderError } from "./errors.ts";
import { ensureBuiltin } from "./fetch/ensure-builtin.ts";

const [name = "builtin"] = process.argv.slice(2);
if (name === "builtin") await fetchBuiltin();
else fail(`There is no embedded model "${name}"; the only one is "builtin".`);

async function fetchBuiltin(): Promise<void> {
  try {
    console.log(await ensureBuiltin());
  } catch (error) {
    if (!(error instanceof DownloadError || error instanceof ModelFolderError)) throw error;
    fail(error.message);
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
