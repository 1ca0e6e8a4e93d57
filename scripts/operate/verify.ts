import { runCommand } from "../shared/command-line.ts";
import { runVerifyCommand } from "./verify/command.ts";

await runCommand((signal) => runVerifyCommand(process.argv.slice(2), signal));
