import { runAdmin } from "./admin/run.ts";
import { runCommand } from "../shared/command-line.ts";

await runCommand((signal) => runAdmin(process.argv.slice(2), signal));
