import { formatTable, harmless, style } from "../../print/table.ts";
import { counted } from "../../progress/words.ts";
import type { Terminal } from "../../terminal.ts";
import type { Outcome } from "../journal/entries.ts";

/** A file with its outcome. */
export interface Reported {
  readonly name: string;
  readonly outcome: Outcome;
}

/** Longer tables are cut off; the folder has all results. */
const MOST_ROWS = 20;

/** Prints what was found, what failed and why, and where the files are. */
export function printReport(
  terminal: Terminal,
  reported: readonly Reported[],
  out: string,
  fresh: number,
): void {
  const { print } = terminal;
  const table = tableOf(reported);
  const [heading = "", ...rows] = table;
  if (rows.length > 0) print(style(terminal, "bold", heading));
  for (const row of rows.slice(0, MOST_ROWS)) print(row);
  if (rows.length > MOST_ROWS) print(`… and ${rows.length - MOST_ROWS} more`);

  const failed = reported.filter(({ outcome }) => outcome.hasFailed);
  const warned = reported.filter(({ outcome }) => !outcome.hasFailed && outcome.problem !== null);
  reportProblems(terminal, "red", "failed", failed);
  reportProblems(terminal, "bold", "incomplete", warned);

  const masks = reported.reduce((sum, { outcome }) => sum + outcome.masks.length, 0);
  const clips = reported.filter(({ outcome }) => outcome.tracks !== undefined).length;
  const pictures = reported.length - clips - failed.length;
  const parts = [
    ...(pictures > 0 ? [`${counted(pictures, "picture")} with ${counted(masks, "mask")}`] : []),
    ...(clips > 0 ? [counted(clips, "clip")] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  const how = fresh === 0 ? " (nothing has changed)" : "";
  if (rows.length > 0) print("");
  print(`${parts.join(", ")}: ${out}/${how}`);
}

/** One row per mask of a few pictures; one row per picture of many; one row per object of clips. */
function tableOf(reported: readonly Reported[]): string[] {
  const tracks = reported.flatMap(({ name, outcome }) =>
    (outcome.tracks ?? []).map(({ objectId, prompt, firstSec, lastSec, frames, confidence }) => [
      name,
      objectId,
      prompt,
      `${firstSec.toFixed(1)} s`,
      `${lastSec.toFixed(1)} s`,
      frames,
      confidence.toFixed(2),
    ]),
  );
  const ofClips =
    tracks.length > 0
      ? formatTable(["clip", "object", "prompt", "from", "to", "frames", "confidence"], tracks)
      : [];
  const pictures = reported.filter(({ outcome }) => outcome.tracks === undefined && !outcome.hasFailed);
  const masks = pictures.flatMap(({ name, outcome }) => outcome.masks.map((mask) => ({ name, ...mask })));
  const ofPictures =
    masks.length <= MOST_ROWS && masks.length > 0
      ? formatTable(
          ["picture", "prompt", "confidence", "box", "pixels"],
          masks.map(({ name, prompt, confidence, box, area }) => [
            name,
            prompt,
            confidence.toFixed(2),
            box.map(Math.round).join(","),
            area,
          ]),
        )
      : masks.length > 0
        ? countsOf(pictures)
        : [];
  return ofPictures.length === 0 ? ofClips : [...ofPictures, ...(ofClips.length > 0 ? ["", ...ofClips] : [])];
}

/** A table of pictures by prompts, with the number of masks of each. */
function countsOf(pictures: readonly Reported[]): string[] {
  const prompts = [...new Set(pictures.flatMap(({ outcome }) => outcome.masks.map(({ prompt }) => prompt)))];
  return formatTable(
    ["picture", "masks", ...prompts],
    pictures.map(({ name, outcome: { masks } }) => [
      name,
      masks.length,
      ...prompts.map((prompt) => masks.filter((mask) => mask.prompt === prompt).length),
    ]),
  );
}

function reportProblems(
  terminal: Terminal,
  how: "red" | "bold",
  what: string,
  reported: readonly Reported[],
): void {
  for (const { name, outcome } of reported.slice(0, MOST_ROWS)) {
    const sentence = (outcome.problem ?? "").replace(/^[a-z_]+: /, "");
    terminal.report(`${style(terminal, how, what)}  ${harmless(name)}: ${harmless(sentence)}`);
  }
  if (reported.length > MOST_ROWS)
    terminal.report(`… and ${reported.length - MOST_ROWS} more (--json lists all)`);
}

/** The same report as a JSON object. */
export function reportJson(reported: readonly Reported[], out: string): object {
  const isClip = ({ outcome }: Reported): boolean => outcome.tracks !== undefined;
  const json = ({ name, outcome: { id, jobId, problem, hasFailed, files, masks, tracks } }: Reported) => ({
    name,
    input: id,
    jobId: jobId ?? null,
    failed: hasFailed,
    problem,
    ...(tracks === undefined ? { masks } : { tracks }),
    files,
  });
  return {
    out,
    pictures: reported.filter((each) => !isClip(each)).map(json),
    clips: reported.filter(isClip).map(json),
  };
}
