import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { PAGE } from "./page.ts";

/** Compares the statements of two commits' conformance pages: `node test/conformance/compare.ts <before> [<after>]`. Without `after` it takes the page in the working tree. */
const [before = "HEAD", after] = process.argv.slice(2);
const pageAt = (commit: string): string =>
  execFileSync("git", ["show", `${commit}:${PAGE}`], { encoding: "utf8" });

/** The statements that a page lists, each as `<section> | <statement>`. */
function statementsOf(page: string): string[] {
  return page.split("\n").flatMap((line) => {
    const [sections = "", says = ""] = line.split(" | ");
    const isRow = /^A?\d[\d.-]*(?:, A?\d[\d.]*)*$/.test(sections);
    return isRow ? sections.split(", ").map((section) => `${section.replace(/-\d+$/, "")} | ${says}`) : [];
  });
}

/** Statements that one list has and the other lacks. */
const missingFrom = (list: readonly string[], other: readonly string[]): string[] => {
  const rest = [...list];
  return other.filter((statement) => {
    const at = rest.indexOf(statement);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
};

const old = statementsOf(pageAt(before));
const now = statementsOf(after === undefined ? readFileSync(PAGE, "utf8") : pageAt(after));
const [lost, added] = [missingFrom(now, old), missingFrom(old, now)];
for (const statement of lost) console.log(`lost: ${statement}`);
for (const statement of added) console.log(`new: ${statement}`);
console.log(`${old.length} statements before, ${now.length} now, ${lost.length} lost, ${added.length} new`);
process.exitCode = lost.length === 0 ? 0 : 1;
