import { runCommand } from "./shared/command-line.ts";
import { runTests } from "./testing/run-tests.ts";

/** The tests that take about a minute: no static checks, no model. Arguments go to vitest: `npm run test:quick ledger`. */
await runCommand((signal) =>
  runTests(
    {
      projects: ["unit", "client", "worker", "databases"],
      args: process.argv.slice(2),
      withChecks: false,
      withModel: false,
    },
    signal,
  ),
);
