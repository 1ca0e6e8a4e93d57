import { account } from "../state/session.ts";

/**
 * The pictures that were sent from this browser, because the service never gives one back: by account and taskId, in
 * IndexedDB. On a machine that people share the next one must not find them: only their own account reads them, signing out
 * deletes them, and without a look they last a day.
 */
interface Original {
  readonly name: string;
  readonly file: Blob;
}

interface Kept extends Original {
  readonly accountId: string;
  readonly taskId: string;
  /** When it was last looked at, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** The maximum of all their bytes together; the least recently viewed are deleted first. */
const MOST_BYTES = 256 * 1024 * 1024;
const LONGEST_MS = 24 * 60 * 60 * 1_000;

const STORE = "originals";

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () =>
      reject(request.error ?? new Error("The browser’s storage failed.")),
    );
  });

let opened: Promise<IDBDatabase> | undefined;

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open("studio", 1);
  request.addEventListener("upgradeneeded", () => {
    request.result.createObjectStore(STORE, { keyPath: ["accountId", "taskId"] });
  });
  const database = await done(request);
  // A newer version of the studio in another tab may want to change it.
  database.addEventListener("versionchange", () => database.close());
  return database;
}

async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  opened ??= open();
  return (await opened).transaction(STORE, mode).objectStore(STORE);
}

/** Does without if the browser has no store, or no room in it. */
async function ifPossible<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch {
    opened = undefined;
    return null;
  }
}

const everythingOf = (accountId: string): IDBKeyRange => IDBKeyRange.bound([accountId], [accountId, []]);

/** Keeps a picture of this account. */
export async function keepOriginal(taskId: string, { name, file }: Original): Promise<void> {
  const accountId = account.value?.accountId;
  if (accountId === undefined || file.size > MOST_BYTES) return;
  const kept: Kept = { accountId, taskId, name, file, usedAt: Date.now() };
  await ifPossible(async () => {
    await done((await store("readwrite")).put(kept));
    await makeRoom();
  });
}

/** A picture of this account, if this browser has it. */
export async function findOriginal(taskId: string): Promise<Original | null> {
  const accountId = account.value?.accountId;
  if (accountId === undefined) return null;
  return await ifPossible(async () => {
    const all = await store("readwrite");
    const kept: Kept | undefined = await done(all.get([accountId, taskId]));
    if (kept === undefined || Date.now() - kept.usedAt > LONGEST_MS) return null;
    await done(all.put({ ...kept, usedAt: Date.now() }));
    return kept;
  });
}

/** Deletes a picture of this account from this browser. */
export async function forgetOriginal(taskId: string): Promise<void> {
  const accountId = account.value?.accountId;
  if (accountId === undefined) return;
  await ifPossible(async () => {
    await done((await store("readwrite")).delete([accountId, taskId]));
  });
}

/** Deletes the pictures of an account from this browser. */
export async function forgetOriginals(accountId: string): Promise<void> {
  await ifPossible(async () => {
    await done((await store("readwrite")).delete(everythingOf(accountId)));
  });
}

/** Deletes what is too old or exceeds the size limit, of any account. */
export async function makeRoom(): Promise<void> {
  await ifPossible(async () => {
    const all = await store("readwrite");
    const kept: Kept[] = await done(all.getAll());
    let bytes = 0;
    for (const { accountId, taskId, file, usedAt } of kept.toSorted((a, b) => b.usedAt - a.usedAt)) {
      bytes += file.size;
      if (bytes > MOST_BYTES || Date.now() - usedAt > LONGEST_MS) all.delete([accountId, taskId]);
    }
  });
}
