/** Opens the journal of a folder, prints the result or the reason of a failure, and waits for the end of its input. */
import { once } from "node:events";
import { Journal } from "../../../src/cli/segment/journal/journal.ts";

const [folder = ""] = process.argv.slice(2);
try {
  const { state } = await Journal.open(folder);
  console.log(`open, ${state.readings.size} files, ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
  await once(process.stdin.resume(), "end");
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error));
}
process.exit();
