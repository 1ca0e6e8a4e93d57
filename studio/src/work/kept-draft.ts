import { batch, effect } from "@preact/signals";
import { findOriginal, forgetOriginal, keepOriginal } from "./originals.ts";
import { bytesOf, type Picture, taskIdOf, type WorkType } from "./picture.ts";
import { Work } from "./work.ts";

/**
 * What was begun and has no job yet outlives a reload and a new sign-in: its texts in the tab's storage, its files where those
 * that were sent are.
 */
interface KeptDraft {
  readonly accountId: string;
  readonly type: WorkType;
  readonly fps: number;
  readonly prompts: readonly string[];
  readonly pictures: readonly KeptPicture[];
}

interface KeptPicture {
  readonly key: string;
  readonly name: string;
  readonly address: string | null;
  /** Null until it is sent. */
  readonly taskId: string | null;
}

const NAME = "studio.draft";
/** Files that are together larger are not kept: writing them takes as long as sending them. */
const MOST_BYTES = 128 * 1024 * 1024;

/** The name of a file that has no taskId yet. */
const idOf = (key: string): string => `draft/${key}`;

function write(work: Work, accountId: string): void {
  const pictures = work.pictures.value.map((picture): KeptPicture => {
    const { key, name, address } = picture;
    return { key, name, address: address?.href ?? null, taskId: taskIdOf(picture) };
  });
  const kept: KeptDraft = {
    accountId,
    type: work.type.value,
    fps: work.fps.value,
    prompts: work.prompts.value,
    pictures,
  };
  if (pictures.length === 0) forgetDraft();
  else sessionStorage.setItem(NAME, JSON.stringify(kept));
}

/** Stores a draft whenever it changes. Returns a function that stops this, for when it is no longer a draft. */
export function keepDraft(work: Work, accountId: string): () => void {
  const files = new Set<string>();
  const dispose = effect(() => {
    // While it is being restored, its files are not loaded yet.
    if (work.opening.value) return;
    write(work, accountId);
    const unsent = work.pictures.value.filter((picture) => taskIdOf(picture) === null);
    const wanted = new Map<string, Picture>();
    if (bytesOf(unsent).total <= MOST_BYTES) for (const picture of unsent) wanted.set(picture.key, picture);
    for (const { key, name, file } of wanted.values()) {
      if (file === null || files.has(key)) continue;
      files.add(key);
      void keepOriginal(idOf(key), { name, file });
    }
    for (const key of files) if (!wanted.has(key)) forget(key);
  });
  const forget = (key: string): void => {
    files.delete(key);
    void forgetOriginal(idOf(key));
  };
  return () => {
    dispose();
    forgetDraft();
    for (const key of files) forget(key);
  };
}

/** An account's draft in this tab; null if there is none. Its files are loaded later. */
export function takeUpDraft(accountId: string): Work | null {
  const text = sessionStorage.getItem(NAME);
  if (text === null) return null;
  const kept: KeptDraft = JSON.parse(text);
  if (kept.accountId !== accountId) {
    forgetDraft();
    return null;
  }
  const work = new Work();
  batch(() => {
    work.opening.value = true;
    work.type.value = kept.type;
    work.fps.value = kept.fps;
    work.prompts.value = kept.prompts;
    work.pictures.value = kept.pictures.map(({ key, name, address, taskId }) => ({
      key,
      name,
      file: null,
      address: address === null ? null : new URL(address),
      sending: taskId === null ? { at: "here" } : { at: "sent", taskId },
    }));
  });
  void findFiles(work);
  return work;
}

/** Whether neither this browser nor the service has it. */
const isLost = ({ file, address, sending }: Picture): boolean =>
  file === null && address === null && sending.at === "here";

async function findFiles(work: Work): Promise<void> {
  const found = await Promise.all(
    work.pictures.value.map(async (picture): Promise<Picture> => {
      const original = await findOriginal(taskIdOf(picture) ?? idOf(picture.key));
      return { ...picture, file: original?.file ?? null };
    }),
  );
  batch(() => {
    work.pictures.value = found.filter((picture) => !isLost(picture));
    work.refused.value = found
      .filter(isLost)
      .map(({ name }) => `${name} is no longer in this browser. Choose it again.`);
    work.opening.value = false;
  });
}

/** Forgets what the tab has of a draft. */
const forgetDraft = (): void => sessionStorage.removeItem(NAME);
