import { runCommand } from "../shared/command-line.ts";
import { runTests } from "./run-tests.ts";

/** Files that take long: simulated months, walks, strain, archives in parts, tables over all operations, random requests. */
const LEFT_OUT = [
  "client/test/cli/{crashes,journal}",
  "client/test/network/{bad-day,browser-upload,cut-after-post}",
  "client/test/package/{package,readme}",
  "client/test/walk/platforms",
  "studio/test/browser/*",
  "test/unit/http/openapi",
  "test/unit/jobs/dispatch/dispatch-order",
  "test/unit/scripts/bench/bench",
  "test/unit/scripts/local/{identity-fake,fakes}",
  "test/unit/scripts/models/install",
  "test/unit/scripts/operate/deploy/{create,deploy,interrupted-create}",
  "test/unit/shared/presigned-url",
  "test/worker/abuse/files",
  "test/worker/archives/{archive,operations/retrieveJobDownload}",
  "test/worker/billing/{credit,ledger/{ledger,paid-ledger},missed-webhooks,months-of-credit,usage}",
  "test/worker/every-operation/{address-rate,bodies,random,tenancy,unauthorized}",
  "test/worker/integrations/{mcp,mcp-access}",
  "test/worker/jobs/{acceptance-state,attempts,database-calls,delivery,waiting,whole-job}",
  "test/worker/jobs/operations/{createJob/failure,deleteJob,deleteJob-again,retrieveJobResult}",
  "test/worker/operator/{erasure,erasure-sweep,rotation}",
  "test/worker/uploads/operations/{importUpload,importUpload-502}",
  "test/worker/webhooks/{backlog,delivery,endpoint-object}",
];

const given = process.argv.slice(2);

/**
 * Runs the tests that take about a minute: no static checks, no model, one database. Arguments go to vitest, which then leaves
 * nothing out: `npm run test:quick ledger`.
 */
await runCommand((signal) =>
  runTests(
    {
      projects: ["unit", "client", "cli", "studio", "worker", ...(given.length > 0 ? ["databases"] : [])],
      args: given.length > 0 ? given : LEFT_OUT.map((path) => `--exclude=${path}.test.ts`),
      withChecks: false,
      withModel: false,
    },
    signal,
  ),
);
