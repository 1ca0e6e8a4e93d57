import { runModels } from "./run.ts";
import { runCommand } from "../../../scripts/shared/command-line.ts";

await runCommand((signal) => runModels(process.argv.slice(2), signal));
