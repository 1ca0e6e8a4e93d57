import { RecentMap } from "../lib/recent-map.ts";

/** Ten thousand digests with their account take some 3 MB; the Worker's isolate has 128. */
const CAPACITY = 10_000;
/** Since its last use. It only spares a good credential the bound on strangers. */
const ACCEPTED_MS = 10 * 60_000;
/** As long may a credential stay refused after it became good: that of an account that is let in again. */
const REFUSED_MS = 10_000;

/** What this isolate knows of credentials, by the digest of each: never who may come in, only what a request costs. */
export interface SeenCredentials {
  /** The account that each was last accepted for. */
  readonly accepted: RecentMap<string>;
  readonly refused: RecentMap<true>;
}

/** Knows of no credential yet. */
export const newSeenCredentials = (): SeenCredentials => ({
  accepted: new RecentMap(CAPACITY, ACCEPTED_MS),
  refused: new RecentMap(CAPACITY, REFUSED_MS),
});
