/**
 * `node scripts/run.mjs <command> [arguments]` makes the clone ready and runs the command, or a tool, with the packaged Node. It
 * passes signals on, and its exit code is the command's. Plain JavaScript for Node 20, because npm starts it with the machine's
 * Node. The lines of package.json begin with `exec`, because a shell between npm and this script would swallow the signals that
 * npm passes on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { makeReady, root } from "./bootstrap.mjs";

/** The commands by their folders: each is <folder>/<command>.ts. */
const COMMANDS = {
  "scripts/bench": ["bench"],
  "scripts/generate": ["build-worker", "conformance", "errors", "openapi", "pack-client", "screenshots"],
  "scripts/local": ["demo", "inference", "start"],
  "evaluation/src/command": ["models"],
  "scripts/operate": ["admin", "deploy", "token", "verify"],
  "scripts/testing": ["abuse", "check", "test", "test-long", "test-quick"],
};

/** Commands that need no packages beyond those of the service. */
const OF_SERVICE = new Set([
  "admin",
  "build-worker",
  "demo",
  "deploy",
  "inference",
  "models",
  "start",
  "token",
  "verify",
]);

/** Commands that run the embedded model. */
const OF_MODEL = new Set(["demo", "inference", "start", "test"]);

/** Commands that run a tool directly. */
const TOOLS = { format: "oxfmt" };

/** The names of the long tests: test/long, and the folders of that name in the packages. */
const longTests = () =>
  [".", "client", "inference-container", "python", "studio"].flatMap((owner) =>
    readdirSync(join(root, owner, "test", "long"), { recursive: true })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => file.slice(0, -".test.ts".length)),
  );

/** The commands without options: the text of --help, and whether a tool reads the arguments. The others have a separate help. */
const PLAIN = {
  test: [
    () => `Checks types, lint and format, and runs the tests. The last line is "N passed, N failed".

  npm test              everything that a change has to pass
  npm test -- ledger    of the tests, only the files whose path contains "ledger"; options go to vitest`,
    true,
  ],
  "test-quick": [
    () => `Runs the tests that need no model, without the slow files and without static checks.

  npm run test:quick
  npm run test:quick ledger    all files whose path contains "ledger", slow ones too; options go to vitest`,
    true,
  ],
  "test-long": [
    () => `Runs the tests that take minutes to an hour each.

  npm run test:long -- NAME...    of these, those whose path contains a NAME; without one, all. Options go to vitest
  npm run test:long -- e2e        the long forms of tests that npm test runs in short (here: of test/e2e)
  npm run chaos                   the same as npm run test:long -- chaos

${longTests()
  .toSorted((a, b) => a.localeCompare(b))
  .join(", ")}`,
    true,
  ],
  format: [() => "Formats the code. Options go to oxfmt: npm run format -- --check", true],
  abuse: [
    () => `Simulates a month in which a trial account and a stranger abuse the service as much as they can.

  npm run abuse    takes some 23 minutes; exit code 1 if anything costs more than docs/limits.md says`,
  ],
  check: [() => "npm run check: checks types, lint and format. Exit code 1 if one of them fails."],
  screenshots: [() => "npm run screenshots: takes the README's pictures of the studio, into docs/images."],
  errors: [() => "npm run errors: writes the tables of docs/errors.md."],
  conformance: [
    () => "npm run conformance: writes the names of the tests into docs/contributing/conformance.md.",
  ],
};

/*
 * On two cores V8 has one background thread in a Workers runtime. Now and then that thread, compiling, waits for a collection by
 * the main thread, which in turn polls for the end of the background's sweep: the runtime hangs at full load (seen with workerd
 * 1.20260815.1). Collections on the main thread alone wait for no other thread, and cost these loads nothing.
 */
const WORKERD_V8_FLAGS = "--single-threaded-gc";

const [command = "", ...args] = process.argv.slice(2);
const [help, takesMore = false] = PLAIN[command] ?? [];
if (help !== undefined && args.some((arg) => arg === "--help" || arg === "-h")) {
  console.log(help());
  process.exit(0);
}
if (help !== undefined && !takesMore && args.length > 0) {
  console.error(`npm run ${command} takes no arguments.`);
  process.exit(2);
}
const node = await makeReady({ withTools: !OF_SERVICE.has(command), withModel: OF_MODEL.has(command) });
const tools = join(root, "node_modules", ".bin");
const folder = Object.keys(COMMANDS).find((name) => COMMANDS[name].includes(command)) ?? ".";
const program = command in TOOLS ? join(tools, TOOLS[command]) : join(root, folder, `${command}.ts`);
const child = spawn(node, [program, ...args], {
  cwd: root,
  env: {
    MINIFLARE_WORKERD_V8_FLAGS: WORKERD_V8_FLAGS,
    ...process.env,
    // The tools of node_modules/.bin begin with `#!/usr/bin/env node`.
    PATH: [tools, process.env.PATH].join(delimiter),
  },
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const [code, signal] = await once(child, "exit");
process.exit(code ?? 128 + constants.signals[signal]);
