import { stripVTControlCharacters } from "node:util";
import type { Finding, Severity } from "./finding.ts";

const HEADINGS: Readonly<Record<Severity, string>> = {
  missing: "Missing:",
  unchecked: "Could not be checked:",
  pending: "The deployment will do this:",
  warning: "Worth a look:",
};

/** Prints what was found, the gravest first, each with what mends it. What one command mends stands together. */
export function printFindings(findings: readonly Finding[]): void {
  for (const severity of ["missing", "unchecked", "pending", "warning"] as const) {
    const found = findings.filter((finding) => finding.severity === severity);
    if (found.length === 0) continue;
    console.log(`${HEADINGS[severity]}\n`);
    const alike = Map.groupBy(
      found,
      ({ problem, mend }) => `${stripVTControlCharacters(problem)}\n    → ${mend}\n`,
    );
    for (const [text, group] of alike) console.log(`  ${group.map(({ what }) => what).join(", ")}: ${text}`);
  }
}
