import { runCommand } from "../shared/command-line.ts";
import { runTests } from "./run-tests.ts";

/** Runs all checks that a change has to pass. Arguments go to vitest: `npm test -- ledger`. */
await runCommand((signal) =>
  runTests(
    {
      projects: ["unit", "client", "cli", "studio", "worker", "databases", "inference", "models", "e2e"],
      args: process.argv.slice(2),
      withChecks: true,
      withModel: true,
    },
    signal,
  ),
);
