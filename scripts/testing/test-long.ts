import { runCommand } from "../shared/command-line.ts";
import { runTests } from "./run-tests.ts";

/** The long forms of tests that `npm test` runs in short. Arguments go to vitest: `npm run test:long -- motion`. */
await runCommand((signal) =>
  runTests(
    {
      projects: ["long", "long-worker"],
      args: process.argv.slice(2),
      withChecks: false,
      withModel: true,
      isLong: true,
    },
    signal,
  ),
);
