import type { Adapter, AdapterPayload } from "oidc-provider";

interface Entry {
  readonly payload: AdapterPayload;
  readonly until: number;
}

/** Keeps the entries of one kind (sessions, codes, grants) until they expire or the process ends. After a restart, people only have to sign in again. */
export function memoryAdapter(): Adapter {
  const entries = new Map<string, Entry>();
  const living = (id: string): AdapterPayload | undefined => {
    const entry = entries.get(id);
    return entry && entry.until > Date.now() ? entry.payload : undefined;
  };
  const find = (matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
    [...entries.keys()].map(living).find((payload) => payload !== undefined && matches(payload));
  return {
    upsert: async (id, payload, seconds) => {
      for (const [key, { until }] of entries) if (until <= Date.now()) entries.delete(key);
      entries.set(id, { payload, until: seconds === undefined ? Infinity : Date.now() + seconds * 1_000 });
    },
    find: async (id) => living(id),
    findByUid: async (uid) => find((payload) => payload.uid === uid),
    findByUserCode: async (code) => find((payload) => payload.userCode === code),
    consume: async (id) => {
      const payload = living(id);
      if (payload) payload.consumed = Math.floor(Date.now() / 1_000);
    },
    destroy: async (id) => void entries.delete(id),
    revokeByGrantId: async (grantId) => {
      for (const [id, { payload }] of entries) if (payload.grantId === grantId) entries.delete(id);
    },
  };
}
