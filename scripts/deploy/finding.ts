import { stripVTControlCharacters } from "node:util";

/**
 * What a check found. `missing`: the service would not work. `unchecked`: it could not be checked. Both stop the deployment.
 * `pending`: the deployment does it itself. `warning`: the operator may have wanted it.
 */
export type Severity = "missing" | "unchecked" | "pending" | "warning";

/** One thing that a check found. */
export interface Finding {
  readonly severity: Severity;
  /** The piece: "queue segmentation-bulk", "PUBLIC_URL". */
  readonly what: string;
  readonly problem: string;
  /** What to do: a command, or a sentence that names the file to change. */
  readonly mend: string;
}

/** Whether the service may be deployed with these findings. */
export const isDeployable = (findings: readonly Finding[]): boolean =>
  findings.every(({ severity }) => severity === "pending" || severity === "warning");

const findingOf =
  (severity: Severity) =>
  (what: string, problem: string, mend: string): Finding => ({ severity, what, problem, mend });

export const missing = findingOf("missing");
export const pending = findingOf("pending");
export const warning = findingOf("warning");

/** The finding about a piece that could not be checked. */
export const unchecked = (what: string, reason: string, mend = "npm run deploy -- --dry-run"): Finding =>
  findingOf("unchecked")(what, reason, mend);

const HEADINGS: Readonly<Record<Severity, string>> = {
  missing: "Missing:",
  unchecked: "Could not be checked:",
  pending: "The deployment will:",
  warning: "Worth a look:",
};

/** Prints the findings, most severe first, each with its fix. Findings with the same fix are grouped. */
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
