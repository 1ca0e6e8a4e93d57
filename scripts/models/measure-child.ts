/** Loads one model folder and sends a report to the parent process. */
import { ModelFolderError } from "../../inference-container/src/models/errors.ts";
import { messageOf } from "../shared/error-parts.ts";
import { measure } from "./measure.ts";
import type { Report } from "./report.ts";

const [folder = "", provider, cpuNodes] = process.argv.slice(2);

// The parent, which wanted the report, is gone.
process.once("disconnect", () => process.exit());
const report: Report = await measure(
  folder,
  provider === "cuda" ? "cuda" : "cpu",
  cpuNodes !== undefined,
).catch((error: unknown) => ({
  usable: false,
  error:
    error instanceof ModelFolderError
      ? error.message
      : `The model in ${folder} was loaded but cannot run: ${messageOf(error)}`,
}));
process.send?.(report, () => process.disconnect());
