import { setTimeout as sleep } from "node:timers/promises";
import { MoveReport } from "../../../src/operator/contract/operator.ts";
import { Failure } from "../../shared/command-line.ts";
import type { LedgerReport } from "./ledger-check.ts";
import type { Outcome } from "../../shared/database/print.ts";

/** The parts of a move: the Worker, which performs it, and a check of the ledgers at both ends. */
export interface Mover {
  /** Asks the Worker for one run. */
  readonly ask: (confirmed: boolean) => Promise<unknown>;
  readonly checkLedger: (database: string) => Promise<LedgerReport>;
  readonly onProgress: (progress: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const PAUSE_MS = 200;

/** Deletes the copy of an account in a restored database; without `confirmed`, only reports it. */
export async function deleteCopy(
  confirmed: boolean,
  { ask, onProgress, signal }: Omit<Mover, "checkLedger">,
): Promise<Outcome> {
  for (;;) {
    const { accountId, state, from, to, rows } = MoveReport.parse(await ask(confirmed));
    if (state === "moved")
      return { result: { accountId, database: to, rows }, summary: `The account is in ${to} alone.` };
    if (state === "copied")
      return {
        result: { accountId, database: from, rows },
        summary: `Nothing was deleted. The account works in ${to}. To delete this copy for good, add --yes.`,
        exitCode: 1,
      };
    onProgress(`deleting in ${from}`);
    await sleep(PAUSE_MS, undefined, signal && { signal });
  }
}

/**
 * Moves an account to another database: copies it, checks the ledger with the copy, switches the account to it, and checks the
 * ledger of the old database. Another run resumes an interrupted one.
 * @throws Failure if the ledger with the copy disagrees: the account then waits in its old database, and is refused until it is
 * moved there, or back.
 */
export async function moveAccount({ ask, checkLedger, onProgress, signal }: Mover): Promise<Outcome> {
  const runUntil = async (confirmed: boolean): Promise<MoveReport> => {
    for (;;) {
      const report = MoveReport.parse(await ask(confirmed));
      if (report.state === "moved" || (report.state === "copied" && !confirmed)) return report;
      onProgress(`${report.state}: rows in ${report.to}: ${report.rows}`);
      await sleep(PAUSE_MS, undefined, signal && { signal });
    }
  };
  let report = await runUntil(false);
  if (report.state === "copied") {
    const copy = await checkLedger(report.to);
    if (copy.findings.length > 0)
      throw new Failure(
        `The ledger in ${report.to} does not add up, so the account was not moved: ${JSON.stringify(copy.findings[0])}. Its requests get 503 until you fix the ledger and move the account there, or move it back with --to ${report.from}.`,
      );
    report = await runUntil(true);
  }
  const left = await checkLedger(report.from);
  return {
    result: { accountId: report.accountId, database: report.to, rows: report.rows },
    summary: `The account is in ${report.to}. ${report.from}: ${left.summary}`,
    details: left.findings,
    exitCode: left.findings.length === 0 ? 0 : 1,
  };
}
