import { runDeploy } from "./deploy/run.ts";
import { runCommand } from "../shared/command-line.ts";

await runCommand((signal) => runDeploy(process.argv.slice(2), signal));
