/**
 * The pictures that were sent from this browser or shown in it, so that they are not fetched again: by account and taskId, in
 * IndexedDB. On a machine that people share the next one must not find them: only their own account reads them, signing out
 * deletes them, and unused they last a day.
 */
interface Original {
  readonly name: string;
  readonly file: Blob;
}

interface SavedOriginal extends Original {
  readonly accountId: string;
  readonly taskId: string;
}

/** Size and last use of an original, in a store apart, so that reading a file does not write it again. */
interface Usage {
  readonly accountId: string;
  readonly taskId: string;
  readonly bytes: number;
  /** Time of the last use, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** The maximum of all their bytes together; the least recently viewed are deleted first. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Time that unused files and workspaces stay in a browser. */
export const LONGEST_MS = 24 * 60 * 60 * 1_000;

const STORE = "originals";
const USAGE = "looks";
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
    for (const store of [STORE, USAGE]) request.result.createObjectStore(store, NAMED);
  });
  const database = await done(request);
  // A newer version of the studio in another tab may want to change it.
  database.addEventListener("versionchange", () => database.close());
  return database;
}

/** Uses both stores in one transaction; does without if the browser has none, or no room in them. */
async function ifPossible<T>(
  use: (originals: IDBObjectStore, usage: IDBObjectStore) => Promise<T> | T,
): Promise<T | null> {
  try {
    opened ??= open();
    const transaction = (await opened).transaction([STORE, USAGE], "readwrite");
    return await use(transaction.objectStore(STORE), transaction.objectStore(USAGE));
  } catch {
    opened = undefined;
    return null;
  }
}

/** Saves a picture of an account. */
export async function saveOriginal(
  accountId: string,
  taskId: string,
  { name, file }: Original,
): Promise<void> {
  if (file.size > MOST_BYTES) return;
  await ifPossible(async (originals, usage) => {
    usage.put({ accountId, taskId, bytes: file.size, usedAt: Date.now() } satisfies Usage);
    await done(originals.put({ accountId, taskId, name, file } satisfies SavedOriginal));
  });
  await makeRoom();
}

/** A picture of an account, if this browser has it. */
export async function findOriginal(accountId: string, taskId: string): Promise<Original | null> {
  return await ifPossible(async (originals, usage) => {
    const [saved, used]: [SavedOriginal | undefined, Usage | undefined] = await Promise.all([
      done(originals.get([accountId, taskId])),
      done(usage.get([accountId, taskId])),
    ]);
    if (saved === undefined || used === undefined || Date.now() - used.usedAt > LONGEST_MS) return null;
    // Whether that can be noted or not, the picture is there.
    usage.put({ ...used, usedAt: Date.now() }).addEventListener("error", (event) => event.preventDefault());
    return saved;
  });
}

/** The names of all pictures of an account that this browser has, by taskId. */
export async function originalNames(accountId: string): Promise<ReadonlyMap<string, string>> {
  const all = await ifPossible(
    async (originals): Promise<SavedOriginal[]> => await done(originals.getAll(allOf(accountId))),
  );
  return new Map((all ?? []).map(({ taskId, name }) => [taskId, name]));
}

const allOf = (accountId: string): IDBKeyRange => IDBKeyRange.bound([accountId], [accountId, []]);

/** Deletes a picture of an account from this browser. */
export async function deleteOriginal(accountId: string, taskId: string): Promise<void> {
  await ifPossible((originals, usage) => {
    for (const store of [originals, usage]) store.delete([accountId, taskId]);
  });
}

/** Deletes the pictures of an account from this browser. */
export async function deleteOriginals(accountId: string): Promise<void> {
  await ifPossible((originals, usage) => {
    for (const store of [originals, usage]) store.delete(allOf(accountId));
  });
}

/** Deletes entries of any account that are too old or exceed the size limit. */
export async function makeRoom(): Promise<void> {
  await ifPossible(async (originals, usage) => {
    const all: Usage[] = await done(usage.getAll());
    let sum = 0;
    for (const { accountId, taskId, bytes, usedAt } of all.toSorted((a, b) => b.usedAt - a.usedAt)) {
      sum += bytes;
      if (sum > MOST_BYTES || Date.now() - usedAt > LONGEST_MS)
        for (const store of [originals, usage]) store.delete([accountId, taskId]);
    }
  });
}
