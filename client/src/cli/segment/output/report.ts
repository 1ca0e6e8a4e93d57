import { formatTable, harmless, style } from "../../print/table.ts";
import { count, counted } from "../../progress/words.ts";
import type { Terminal } from "../../terminal.ts";
import type { Outcome } from "../journal/entries.ts";

/** A file with its outcome. */
export interface Reported {
  readonly name: string;
  readonly outcome: Outcome;
}

/** The report cuts off longer tables; the folder has all results. */
const MOST_ROWS = 20;

/** Prints the results, the failures with their reasons, and the paths of the files. */
export function printReport(
  terminal: Terminal,
  reported: readonly Reported[],
  out: string,
  fresh: number,
): void {
  const { print } = terminal;
  const tables = [...tableOfPictures(reported), ...tableOfClips(reported)];
  for (const { heading, rows } of tables) {
    // Formats only these rows: there may be a hundred thousand.
    const [first = "", ...lines] = formatTable(heading, rows.slice(0, MOST_ROWS));
    print(style(terminal, "bold", first));
    for (const line of lines) print(line);
    if (rows.length > MOST_ROWS) print(`… and ${count(rows.length - MOST_ROWS)} more`);
    print("");
  }

  const failed = reported.filter(({ outcome }) => outcome.hasFailed);
  const warned = reported.filter(({ outcome }) => !outcome.hasFailed && outcome.problem !== null);
  reportProblems(terminal, "red", "failed", failed);
  reportProblems(terminal, "bold", "incomplete", warned);

  const masks = reported.reduce((sum, { outcome }) => sum + outcome.masks.length, 0);
  const clips = reported.filter(({ outcome }) => outcome.tracks !== undefined).length;
  const pictures = reported.length - clips - failed.length;
  const parts = [
    ...(pictures > 0 ? [`${counted(pictures, "picture")} with ${counted(masks, "mask")}`] : []),
    ...(clips > 0 ? [counted(clips, "video")] : []),
    ...(failed.length > 0 ? [`${count(failed.length)} failed`] : []),
  ];
  const how = fresh === 0 ? " (nothing has changed)" : "";
  print(`${parts.join(", ")}: ${out}/${how}`);
}

interface Table {
  readonly heading: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** One row per mask of a few pictures; one row per picture of many, with the number of masks of each prompt. */
function tableOfPictures(reported: readonly Reported[]): Table[] {
  const pictures = reported.filter(({ outcome }) => outcome.tracks === undefined && !outcome.hasFailed);
  const masks = pictures.flatMap(({ name, outcome }) => outcome.masks.map((mask) => ({ name, ...mask })));
  if (masks.length === 0) return [];
  if (masks.length <= MOST_ROWS) {
    const rows = masks.map(({ name, prompt, confidence, box, area }) => [
      name,
      prompt,
      confidence.toFixed(2),
      box.map(Math.round).join(","),
      area,
    ]);
    return [{ heading: ["picture", "prompt", "confidence", "box", "pixels"], rows }];
  }
  const prompts = [...new Set(masks.map(({ prompt }) => prompt))];
  const rows = pictures.map(({ name, outcome }) => {
    const counts = prompts.map((prompt) => outcome.masks.filter((mask) => mask.prompt === prompt).length);
    return [name, outcome.masks.length, counts].flat();
  });
  return [{ heading: ["picture", "masks", ...prompts], rows }];
}

/** One row per object. */
function tableOfClips(reported: readonly Reported[]): Table[] {
  const rows = reported.flatMap(({ name, outcome }) =>
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
  const heading = ["video", "object", "prompt", "from", "to", "frames", "confidence"];
  return rows.length > 0 ? [{ heading, rows }] : [];
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
    terminal.report(`… and ${count(reported.length - MOST_ROWS)} more (--json lists all)`);
}

/** The same report as JSON. */
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
    videos: reported.filter(isClip).map(json),
  };
}
