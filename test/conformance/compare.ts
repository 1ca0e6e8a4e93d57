import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { missingFrom, statementsOf } from "./statements-of.ts";

/** Compares the statements of two commits' conformance pages: `node test/conformance/compare.ts <before> [<after>]`. Without `after` it takes the page in the working tree. */
const [before = "HEAD", after] = process.argv.slice(2);
const PAGE = "docs/conformance.md";
const pageAt = (commit: string): string =>
  execFileSync("git", ["show", `${commit}:${PAGE}`], { encoding: "utf8" });

const old = statementsOf(pageAt(before));
const now = statementsOf(after === undefined ? readFileSync(PAGE, "utf8") : pageAt(after));
const [lost, added] = [missingFrom(now, old), missingFrom(old, now)];
for (const statement of lost) console.log(`lost: ${statement}`);
for (const statement of added) console.log(`new: ${statement}`);
console.log(`${old.length} statements before, ${now.length} now, ${lost.length} lost, ${added.length} new`);
process.exitCode = lost.length === 0 ? 0 : 1;
