import { batch } from "@preact/signals";
import { findOriginal } from "./originals.ts";
import type { Owner } from "../service/owner.ts";
import { type Picture, taskIdOf } from "../rules/picture.ts";
import type { Attempt } from "../rules/pointed-objects.ts";
import { Work } from "../workspace.ts";
import { fileId, type KeptWork, thisTab } from "./saved-workspace.ts";

/** What was under way is to be asked for again; what has a job, only for its mask. */
const resumed = (attempt: Attempt): Attempt => ({ ...attempt, state: "waiting" });

/** A work as it was kept. Its files are loaded later: see `findFiles`. Another tab's work stays with that tab. */
export function restored(kept: KeptWork, owner: Owner): Work {
  const work = new Work(owner);
  batch(() => {
    work.opening.value = true;
    if (kept.tab === thisTab()) work.keptAs.value = kept.id;
    work.isDraft.value = kept.isDraft;
    work.wasCutOff.value = kept.isSending;
    work.type.value = kept.type;
    work.fps.value = kept.fps;
    work.prompts.value = kept.prompts;
    work.threshold.value = kept.threshold;
    work.asked.value = kept.asked;
    work.request.value = kept.request;
    work.pointed.value = kept.pointed.map((object) => {
      const [first, ...rest] = object.attempts;
      return { ...object, attempts: [resumed(first), ...rest.map(resumed)] };
    });
    work.regions.value = kept.regions;
    work.edits.value = new Map(kept.edits);
    work.verdictsOf.value = new Map(kept.verdictsOf.map(([jobId, verdicts]) => [jobId, new Map(verdicts)]));
    work.firstJob.value = kept.firstJob;
    work.searches.value = kept.searches;
    work.pictures.value = kept.pictures.map(({ key, name, address, sending }) => ({
      key,
      name,
      file: null,
      address: address === null ? null : new URL(address),
      sending,
    }));
  });
  return work;
}

/** Whether neither this browser nor the service has it. */
const isLost = ({ file, address, sending }: Picture): boolean =>
  file === null && address === null && sending.at === "here";

/** Loads the files of a restored work. */
export async function findFiles(work: Work): Promise<void> {
  const { accountId } = work.owner;
  const found = await Promise.all(
    work.pictures.value.map(async (picture): Promise<Picture> => {
      const original = await findOriginal(accountId, taskIdOf(picture) ?? fileId(picture.key));
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
