/**
 * `node scripts/run.mjs <command> [arguments]` makes the clone ready and runs scripts/<command>.ts, or a tool, with the
 * packaged Node. It passes signals on, and its exit code is the command's.
 * Plain JavaScript for Node 20, because npm starts it with whatever Node the machine has. The lines of package.json begin
 * with `exec`, because a shell between npm and this script would swallow the signals that npm passes on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { makeReady, root } from "./bootstrap.mjs";

/** Commands that run a tool directly. */
const TOOLS = { format: "oxfmt" };

const [command = "", ...args] = process.argv.slice(2);
const node = await makeReady();
const tools = join(root, "node_modules", ".bin");
const program = command in TOOLS ? join(tools, TOOLS[command]) : join(root, "scripts", `${command}.ts`);
const child = spawn(node, [program, ...args], {
  cwd: root,
  // The tools of node_modules/.bin begin with `#!/usr/bin/env node`.
  env: { ...process.env, PATH: [tools, process.env.PATH].join(delimiter) },
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const [code, signal] = await once(child, "exit");
process.exit(code ?? 128 + constants.signals[signal]);
