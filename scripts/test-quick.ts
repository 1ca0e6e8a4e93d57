import { runCommand } from "./shared/command-line.ts";
import { runTests } from "./testing/run-tests.ts";

/** Files that take long: simulated months, walks, strain, archives in parts, tables over all operations, random requests. */
const LEFT_OUT = [
  "client/test/cli/{crashes,journal}",
  "client/test/network/{bad-day,browser-upload,cut-after-post}",
  "client/test/package/{package,readme}",
  "client/test/walk/platforms",
  "test/unit/core/lib/presigned-url",
  "test/unit/{dispatch-order,openapi}",
  "test/unit/scripts/{bench,identity-stand-in,models-install,stand-ins}",
  "test/unit/scripts/deploy/{create,deploy}",
  "test/worker/abuse/*",
  "test/worker/accounts/{credit,erasure,missed-webhooks,usage}",
  "test/worker/bridges/mcp",
  "test/worker/every-operation/{address-rate,bodies,random,tenancy,unauthorized}",
  "test/worker/jobs/{archive,database-calls,delivery,ledger,standing,strain,waiting,whole-job,year}",
  "test/worker/operations/{deleteJob,importUpload,retrieveJobDownload,retrieveJobResult}",
  "test/worker/operations/createJob/failure",
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
      projects: ["unit", "client", "cli", "worker", ...(given.length > 0 ? ["databases"] : [])],
      args: given.length > 0 ? given : LEFT_OUT.map((path) => `--exclude=${path}.test.ts`),
      withChecks: false,
      withModel: false,
    },
    signal,
  ),
);
