import { writeFile } from "node:fs/promises";
import type { EvaluateCommand } from "./command/arguments.ts";
import { askSet } from "./ask-set.ts";
import { writeSheet } from "./contact-sheet.ts";
import { type Figures, measureAnswers } from "./figures.ts";
import { withModelFolder } from "./model-folder.ts";
import { detectionsOf, queriesOf } from "./queries.ts";
import { readSet } from "./read-set.ts";
import { remoteService, withLocalService } from "./service.ts";
import type { Subject } from "./subject.ts";
import { worstMisses } from "./worst-misses.ts";

/** The evaluated subject, its set, and its figures. */
export interface Evaluation extends Figures {
  /** The model and where it ran, in one line. */
  readonly subject: string;
  readonly set: {
    readonly labels: string;
    readonly pictures: number;
    readonly categories: number;
    /** Labeled objects, crowds aside. */
    readonly objects: number;
    readonly crowds: number;
  };
  /** The lowest requested score. */
  readonly threshold: number;
  /** Path of the picture of the worst misses; null if there are none. */
  readonly sheet: string | null;
  /** Meaning of the milliseconds. */
  readonly timed: string;
  /** Notices about categories that the model can't find, whose objects are all missed, and about masks left out. */
  readonly notices: readonly string[];
}

/** Asks a model about a labeled set and measures the answers. @throws Failure if the model or the set cannot be used */
export async function evaluate(command: EvaluateCommand, signal: AbortSignal): Promise<Evaluation> {
  const { pictures, labels, threshold, detections, sheet } = command;
  const onDisk = await readSet(pictures, labels);
  const { set } = onDisk;
  const { subject, answers } = await withSubject(command.subject, signal, async (asked) => ({
    subject: asked,
    answers: await askSet(asked, onDisk, { threshold, draws: true }, process.stderr),
  }));
  const queries = queriesOf(set, answers.found);
  if (detections !== undefined) await writeFile(detections, JSON.stringify(detectionsOf(set, answers.found)));
  const misses = worstMisses(set, queries);
  await writeSheet(sheet, misses, onDisk);
  const crowds = set.objects.filter(({ crowd }) => crowd).length;
  return {
    subject: subject.name,
    set: {
      labels,
      pictures: set.pictures.length,
      categories: set.categories.length,
      objects: set.objects.length - crowds,
      crowds,
    },
    threshold,
    timed: subject.timed,
    notices: answers.notices,
    sheet: misses.length === 0 ? null : sheet,
    ...measureAnswers(set, queries, answers, threshold),
  };
}

function withSubject<T>(
  chosen: EvaluateCommand["subject"],
  signal: AbortSignal,
  use: (subject: Subject) => Promise<T>,
): Promise<T> {
  switch (chosen.kind) {
    case "folder":
      return withModelFolder(chosen.folder, chosen.provider, use);
    case "local service":
      return withLocalService(chosen.folder, signal, use);
    case "service":
      return use(remoteService(chosen.url, chosen.key, signal));
  }
}
