import { runCommand } from "./shared/command-line.ts";
import { runTests } from "./testing/run-tests.ts";

/** Files that take long: simulated months, walks, strain, archives in parts, tables over all operations, random requests. */
const LEFT_OUT = [
  "client/test/cli/crashes",
  "client/test/network/bad-day",
  "client/test/package/readme",
  "client/test/walk/platforms",
  "test/unit/dispatch-order",
  "test/unit/scripts/bench",
  "test/unit/scripts/deploy/{create,deploy}",
  "test/unit/scripts/{demo-clip,identity-stand-in,models-install,stand-ins}",
  "test/worker/abuse/*",
  "test/worker/accounts/{credit,erasure,usage}",
  "test/worker/every-operation/{address-rate,random,tenancy,unauthorized}",
  "test/worker/jobs/{archive,standing,strain,whole-job,year}",
  "test/worker/operations/{retrieveJobDownload,retrieveJobResult}",
  "test/worker/rotation",
  "test/worker/webhooks/{backlog,delivery}",
];

const given = process.argv.slice(2);

/**
 * The tests that take about a minute: no static checks, no model, one database. Arguments go to vitest, which then leaves nothing
 * out: `npm run test:quick ledger`.
 */
await runCommand((signal) =>
  runTests(
    {
      projects: ["unit", "client", "worker", ...(given.length > 0 ? ["databases"] : [])],
      args: given.length > 0 ? given : LEFT_OUT.map((path) => `--exclude=${path}.test.ts`),
      withChecks: false,
      withModel: false,
    },
    signal,
  ),
);
