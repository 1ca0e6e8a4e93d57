/**
 * What a check found. `missing`: the service would not work. `unchecked`: nobody could say. Both stop the deployment.
 * `pending`: the deployment does it itself. `warning`: the operator may want it so.
 */
export type Severity = "missing" | "unchecked" | "pending" | "warning";

/** One piece that a check has something to say about. */
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

/** The finding about a piece that nobody could say anything about. */
export const unchecked = (what: string, reason: string, mend = "npm run deploy -- --dry-run"): Finding => ({
  severity: "unchecked",
  what,
  problem: reason,
  mend,
});
