import type { ResealAnswer } from "../contract/operator.ts";
import { isSealedByCurrent } from "../../shared/sealed.ts";
import { sealSecrets, unsealSecrets } from "../../webhooks/rules/signing.ts";
import type { Platform } from "../../platform.ts";
import { secretsOf } from "../../feature-settings.ts";
import { HELD_MS } from "../../jobs/operations/dispatch-task.ts";

/** Endpoints in a run: each costs some cryptography, and those that change a statement. */
const PAGE = 100;

/** Between the two parts of a cursor. */
const SEPARATOR = " ";

/**
 * Seals the secrets of one page of a database's webhook endpoints with the current secret. Keeps the secrets that the current
 * secret has sealed, and those that no secret opens: it names the endpoints of the latter. All else that is sealed or signed
 * expires.
 * @param after the place after which the page begins; empty for the first
 */
export async function resealSecrets(
  { settings, policy, databases, at }: Platform,
  after: string,
): Promise<ResealAnswer> {
  const secrets = secretsOf(settings);
  const [database = "", behind = ""] = after.split(SEPARATOR);
  const index = Math.max(0, databases.indexOf(database));
  const { webhookEndpoints } = at(databases[index]);
  const page = await webhookEndpoints.allSealedSecrets(behind, PAGE);
  const unreadable: string[] = [];
  const changed: { endpointId: string; before: string; sealed: string }[] = [];
  for (const { endpointId, sealed: before } of page) {
    const opened = await unsealSecrets(secrets, endpointId, before);
    if (opened === null) unreadable.push(endpointId);
    else if (!(await isSealedByCurrent(secrets, before)))
      changed.push({ endpointId, before, sealed: await sealSecrets(secrets, endpointId, opened) });
  }
  await webhookEndpoints.reseal(changed);
  return {
    looked: page.length,
    resealed: changed.length,
    unreadable,
    next: nextPlace(databases, index, page.length < PAGE ? null : (page.at(-1)?.endpointId ?? null)),
    hasPrevious: settings.MASTER_SECRET_PREVIOUS !== undefined,
    signedMs: policy.leaseMs + HELD_MS,
  };
}

/**
 * Returns the start of the next page: in the same database, or in the next one after its last page; null after the last of all.
 */
function nextPlace(databases: readonly string[], index: number, last: string | null): string | null {
  const database = databases[last === null ? index + 1 : index];
  return database === undefined ? null : `${database}${SEPARATOR}${last ?? ""}`;
}
