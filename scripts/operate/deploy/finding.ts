import { stripVTControlCharacters } from "node:util";
import type { Cloudflare } from "./cloudflare.ts";

/**
 * The result of a check. `missing`: the service would not work. `unchecked`: it could not be checked. Both stop the deployment.
 * `pending`: the deployment does it itself. `warning`: the operator may have wanted it. `optional`: the service works without it.
 */
export type Severity = "missing" | "unchecked" | "pending" | "warning" | "optional";

/** The step with which `--create` makes a piece itself. Several findings may share one. */
export interface Creation {
  /** Asked before: "Create the queue segmentation-bulk?" */
  readonly question: string;
  /** @throws Failure if it could not be made */
  readonly run: (cloudflare: Cloudflare) => Promise<void>;
}

/** A creation that one command of Wrangler makes. */
export const runs =
  (args: readonly string[]): Creation["run"] =>
  async ({ run }) => {
    await run(args);
  };

/** One thing that a check found. */
export interface Finding {
  readonly severity: Severity;
  /** The piece: "queue segmentation-bulk", "PUBLIC_URL". */
  readonly what: string;
  readonly problem: string;
  /** The remedy: a command, or a sentence that names the file to change. */
  readonly mend: string;
  readonly creation?: Creation;
}

/** Returns true if the service may be deployed with these findings. */
export const isDeployable = (findings: readonly Finding[]): boolean =>
  findings.every(({ severity }) => severity !== "missing" && severity !== "unchecked");

const findingOf =
  (severity: Severity) =>
  (what: string, problem: string, mend: string, creation?: Creation): Finding => ({
    severity,
    what,
    problem,
    mend,
    ...(creation && { creation }),
  });

export const missing = findingOf("missing");
export const pending = findingOf("pending");
export const warning = findingOf("warning");
export const optional = findingOf("optional");

/** The finding about a piece that could not be checked. */
export const unchecked = (what: string, reason: string, mend = "npm run deploy -- --dry-run"): Finding =>
  findingOf("unchecked")(what, reason, mend);

const HEADINGS: Readonly<Record<Severity, string>> = {
  unchecked: "Could not be checked:",
  missing: "Missing:",
  pending: "The deployment will:",
  warning: "Worth a look:",
  optional: "Not set up, and not needed:",
};

/** Prints the findings, those that stop the deployment first, each with its fix. Findings with the same fix are grouped. */
export function printFindings(findings: readonly Finding[]): void {
  for (const severity of ["unchecked", "missing", "pending", "warning", "optional"] as const) {
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
