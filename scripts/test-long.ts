import { runCommand } from "./shared/command-line.ts";
import { runTests } from "./testing/run-tests.ts";

/** The long forms of what `npm test` has in short ones. Arguments go to vitest: `npm run test:long -- motion`. */
await runCommand((signal) =>
  runTests(
    {
      projects: ["long", "long-worker"],
      args: process.argv.slice(2),
      withChecks: false,
      withModel: true,
    },
    signal,
  ),
);
