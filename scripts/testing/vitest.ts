import { Socket } from "node:net";
import { parseCLI, startVitest } from "vitest/node";
import { CalmReporter, MANNERS } from "./calm-reporter.ts";

/*
 * `node vitest.ts <manner> <report> [arguments of vitest]`. Results go to descriptor 3, which the parent shows; the output of the
 * tested processes goes to this process's output, which the parent keeps in a file.
 */
const [given, outputFile = "", ...args] = process.argv.slice(2);
const manner = MANNERS.find((one) => one === given) ?? "calm";
const shown = new Socket({ fd: 3, readable: false, writable: true });
const { filter, options } = parseCLI(["vitest", "run", ...args]);
const { exclude, ...others } = options;
const vitest = await startVitest("test", filter, {
  ...others,
  // The configuration's `exclude` belongs to the whole run; projects don't inherit it.
  ...(exclude && { cliExclude: [exclude].flat() }),
  reporters: [new CalmReporter(shown, manner), ["json", { outputFile }]],
});
await new Promise<void>((resolve) => shown.end(resolve));
await vitest.exit();
