import { runModels } from "./run.ts";
import { runCommand } from "../shared/command-line.ts";

await runCommand((signal) => runModels(process.argv.slice(2), signal));
