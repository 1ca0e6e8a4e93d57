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
}

/** What is noted beside an original, so that no look writes its file again. */
interface Look {
  readonly accountId: string;
  readonly taskId: string;
  readonly bytes: number;
  /** When it was last looked at, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** The maximum of all their bytes together; the least recently viewed are deleted first. */
const MOST_BYTES = 256 * 1024 * 1024;
/** How long what stays in a browser lasts without a look. */
export const LONGEST_MS = 24 * 60 * 60 * 1_000;

const STORE = "originals";
const LOOKS = "looks";
const NAMED = { keyPath: ["accountId", "taskId"] };

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () =>
      reject(request.error ?? new Error("The browser’s storage failed.")),
    );
  });

let opened: Promise<IDBDatabase> | undefined;

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open("segmentation-studio", 1);
  request.addEventListener("upgradeneeded", () => {
    for (const store of [STORE, LOOKS]) request.result.createObjectStore(store, NAMED);
  });
  const database = await done(request);
  // A newer version of the studio in another tab may want to change it.
  database.addEventListener("versionchange", () => database.close());
  return database;
}

/** Uses both stores in one transaction; does without if the browser has none, or no room in them. */
async function ifPossible<T>(
  use: (originals: IDBObjectStore, looks: IDBObjectStore) => Promise<T> | T,
): Promise<T | null> {
  try {
    opened ??= open();
    const transaction = (await opened).transaction([STORE, LOOKS], "readwrite");
    return await use(transaction.objectStore(STORE), transaction.objectStore(LOOKS));
  } catch {
    opened = undefined;
    return null;
  }
}

/** Keeps a picture of an account. */
export async function keepOriginal(
  accountId: string,
  taskId: string,
  { name, file }: Original,
): Promise<void> {
  if (file.size > MOST_BYTES) return;
  await ifPossible(async (originals, looks) => {
    looks.put({ accountId, taskId, bytes: file.size, usedAt: Date.now() } satisfies Look);
    await done(originals.put({ accountId, taskId, name, file } satisfies Kept));
  });
  await makeRoom();
}

/** A picture of an account, if this browser has it. */
export async function findOriginal(accountId: string, taskId: string): Promise<Original | null> {
  return await ifPossible(async (originals, looks) => {
    const [kept, look]: [Kept | undefined, Look | undefined] = await Promise.all([
      done(originals.get([accountId, taskId])),
      done(looks.get([accountId, taskId])),
    ]);
    if (kept === undefined || look === undefined || Date.now() - look.usedAt > LONGEST_MS) return null;
    // Whether that can be noted or not, the picture is there.
    looks.put({ ...look, usedAt: Date.now() }).addEventListener("error", (event) => event.preventDefault());
    return kept;
  });
}

/** The names of all pictures of an account that this browser has, by taskId. */
export async function originalNames(accountId: string): Promise<ReadonlyMap<string, string>> {
  const all = await ifPossible(
    async (originals): Promise<Kept[]> => await done(originals.getAll(allOf(accountId))),
  );
  return new Map((all ?? []).map(({ taskId, name }) => [taskId, name]));
}

const allOf = (accountId: string): IDBKeyRange => IDBKeyRange.bound([accountId], [accountId, []]);

/** Deletes a picture of an account from this browser. */
export async function forgetOriginal(accountId: string, taskId: string): Promise<void> {
  await ifPossible((originals, looks) => {
    for (const store of [originals, looks]) store.delete([accountId, taskId]);
  });
}

/** Deletes the pictures of an account from this browser. */
export async function forgetOriginals(accountId: string): Promise<void> {
  await ifPossible((originals, looks) => {
    for (const store of [originals, looks]) store.delete(allOf(accountId));
  });
}

/** Deletes what is too old or exceeds the size limit, of any account. */
export async function makeRoom(): Promise<void> {
  await ifPossible(async (originals, looks) => {
    const all: Look[] = await done(looks.getAll());
    let sum = 0;
    for (const { accountId, taskId, bytes, usedAt } of all.toSorted((a, b) => b.usedAt - a.usedAt)) {
      sum += bytes;
      if (sum > MOST_BYTES || Date.now() - usedAt > LONGEST_MS)
        for (const store of [originals, looks]) store.delete([accountId, taskId]);
    }
  });
}
