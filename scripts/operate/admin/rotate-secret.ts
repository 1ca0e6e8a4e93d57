import { ResealAnswer } from "../../../src/operator/contract/operator.ts";
import type { OperatorApi } from "../../shared/database/operator-api.ts";
import type { Outcome } from "../../shared/database/print.ts";

const HOUR_MS = 3_600_000;

const PREVIOUS = "MASTER_SECRET_PREVIOUS";

/** Describes when the previous secret may go, after a run that has resealed this many endpoints' secrets. */
function whenItMayGo({ hasPrevious, signedMs }: ResealAnswer, resealed: number, now: number): string {
  if (!hasPrevious) return "The Worker has no previous secret to remove.";
  const hours = Math.ceil(signedMs / HOUR_MS);
  return resealed === 0
    ? `Nothing that is stored needs ${PREVIOUS}: remove it ${hours} hours after MASTER_SECRET was changed, when all that was signed before has ended.`
    : `Keep ${PREVIOUS} until ${new Date(now + signedMs).toISOString()}, when all that was signed before has ended; then run this again, and remove it if nothing was resealed.`;
}

/**
 * Makes the Worker seal with MASTER_SECRET the data that the previous secret has sealed, page by page, and reports when that may
 * go. A repetition resumes, without changing sealed data. Exit code 1 if some endpoints' secrets can't be opened.
 * @param now epoch milliseconds
 */
export async function rotateSecret(
  api: OperatorApi,
  onProgress: (progress: string) => void,
  now: number,
): Promise<Outcome> {
  const unreadable: string[] = [];
  let looked = 0;
  let resealed = 0;
  for (let after = ""; ;) {
    const page = ResealAnswer.parse(await api.call("POST", "/reseal", { after }));
    looked += page.looked;
    resealed += page.resealed;
    unreadable.push(...page.unreadable);
    const counts = `webhook endpoints: ${looked}; resealed: ${resealed}; unreadable: ${unreadable.length}`;
    if (page.next !== null) {
      onProgress(`so far: ${counts}`);
      after = page.next;
      continue;
    }
    const lost = "The accounts of unreadable ones have to rotate their secrets and enable them.";
    return {
      result: unreadable.map((endpointId) => ({ endpointId })),
      summary: `${counts}. ${whenItMayGo(page, resealed, now)}${unreadable.length === 0 ? "" : ` ${lost}`}`,
      exitCode: unreadable.length === 0 ? 0 : 1,
    };
  }
}
