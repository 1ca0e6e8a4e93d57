import { effect } from "@preact/signals";
import { forgetOriginal, keepOriginal } from "./originals.ts";
import { bytesOf, type Picture, taskIdOf } from "../rules/picture.ts";
import type { Work } from "../workspace.ts";
import { fileId, forgetKept, type KeptWork, keptWorks, thisTab, write } from "./saved-workspace.ts";

/** Files that are together larger are not kept: writing them takes as long as sending them. */
const MOST_BYTES = 128 * 1024 * 1024;

/** What ends the keeping of a work; what is kept stays, or is forgotten. */
export type EndKeeping = (what: "stays" | "is forgotten") => void;

/** Keeps a work whenever it changes. */
export function keep(work: Work): EndKeeping {
  const { accountId } = work.owner;
  // Those of a restored work are kept already.
  const files = new Set(work.opening.peek() ? work.pictures.peek().map(({ key }) => key) : []);
  const forget = (key: string): void => {
    files.delete(key);
    const isElsewhere = keptWorks().some(
      ({ id, pictures }) => id !== work.keptAs.peek() && pictures.some((picture) => picture.key === key),
    );
    if (!isElsewhere) void forgetOriginal(accountId, fileId(key));
  };
  const dispose = effect(() => {
    // While it is being restored, its files are not loaded yet.
    if (work.opening.value || work.owner.signal.aborted) return;
    const all = work.pictures.value;
    if (all.length === 0) forgetKept({ id: work.keptAs.value });
    else write(textOf(work));
    const unsent = all.filter((picture) => taskIdOf(picture) === null);
    const wanted = new Map<string, Picture>();
    if (bytesOf(unsent).total <= MOST_BYTES) for (const picture of unsent) wanted.set(picture.key, picture);
    for (const { key, name, file } of wanted.values()) {
      if (file === null || files.has(key)) continue;
      files.add(key);
      void keepOriginal(accountId, fileId(key), { name, file });
    }
    for (const key of files) if (!wanted.has(key)) forget(key);
  });
  return (what) => {
    dispose();
    if (what === "stays") return;
    forgetKept({ id: work.keptAs.peek() });
    files.forEach(forget);
  };
}

const textOf = (work: Work): KeptWork => ({
  id: work.keptAs.value,
  accountId: work.owner.accountId,
  tab: thisTab(),
  usedAt: Date.now(),
  isDraft: work.isDraft.value,
  isSending: work.going.value.at === "sending",
  type: work.type.value,
  fps: work.fps.value,
  prompts: work.prompts.value,
  threshold: work.threshold.value,
  pictures: work.pictures.value.map(({ key, name, address, sending }) => ({
    key,
    name,
    address: address?.href ?? null,
    sending: sending.at === "sent" ? sending : { at: "here" },
  })),
  asked: work.asked.value,
  request: work.request.value,
  pointed: work.pointed.value,
  regions: work.regions.value,
  edits: [...work.edits.value],
  verdictsOf: [...work.verdictsOf.value].map(([jobId, verdicts]) => [jobId, [...verdicts]]),
  firstJob: work.firstJob.value,
  searches: work.searches.value,
});
