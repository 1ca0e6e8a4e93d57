import { join, resolve } from "node:path";
import { writeWhole } from "../../node/save.ts";
import { baseUrlOf, clientOf } from "../account/client.ts";
import { Buckets } from "../bucket/bucket.ts";
import type { Command } from "../command/parse.ts";
import { Failure, usageFailure } from "../failure.ts";
import { harmless } from "../print/table.ts";
import { ProgressView } from "../progress/progress.ts";
import { count, counted } from "../progress/words.ts";
import { Interrupted, type Terminal } from "../terminal.ts";
import { parseOrder } from "./arguments.ts";
import { findInputs, type FoundInputs, type LeftOut } from "./inputs/find-inputs.ts";
import { readManifest } from "./inputs/manifest.ts";
import { VERSION } from "./journal/entries.ts";
import { Journal } from "./journal/journal.ts";
import { HELP, OPTIONS } from "./options.ts";
import { purposeOf } from "./order.ts";
import { batchResults } from "./output/batch-results.ts";
import { assertSamePurpose, defaultFolder, isOf, type Purpose } from "./output/output-folder.ts";
import { printReport, reportJson } from "./output/report.ts";
import { bucketStore, folderStore } from "./output/store.ts";
import { ofClipsOnly } from "./region.ts";
import { type Segmenting, segmentAll } from "./run/segment-all.ts";

/** More files need --yes: each picture costs a unit. */
const MOST_UNASKED = 10_000;
const MOST_NAMED = 3;
const NOTHING: LeftOut = { clips: 0, others: new Map() };
/** The results of a manifest, in the output folder. */
const RESULTS = "results.jsonl";

async function segment(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, order } = parseOrder(args);
  const baseUrl = await baseUrlOf(terminal, values["base-url"]);
  const purpose: Purpose = { baseUrl, order: purposeOf(order) };
  const folder = order.out ?? defaultFolder(purpose);
  const out = resolve(folder);
  const buckets = new Buckets(terminal.env, values["endpoint-url"]);
  const { manifest, bucket } = order;
  let notFound: unknown;
  const { inputs, leftOut } = await (
    manifest === undefined
      ? findInputs(order.inputs, out, buckets)
      : readManifest(manifest, buckets).then((lines) => ({ inputs: lines, leftOut: NOTHING }))
  ).catch((error: unknown): FoundInputs => {
    // An earlier run's open jobs are paid for: they finish, even if their files are gone.
    if ((Journal.look(out)?.open.size ?? 0) === 0) throw error;
    notFound = error;
    return { inputs: [], leftOut: NOTHING };
  });
  if (order.prompts.length === 0 && manifest !== undefined && inputs.some(({ prompts }) => !prompts))
    throw usageFailure("Some lines of the manifest have no prompts. Give prompts for them: -p cat");
  const store = bucket === undefined ? folderStore(out) : bucketStore(buckets, bucket, out);
  const timed = order.regions.flatMap((region) => ofClipsOnly(region) ?? [])[0];
  if (timed !== undefined && inputs.some(({ kind }) => kind === "picture"))
    throw usageFailure(`A --region has ${timed}, which only videos take. Segment pictures without it.`);
  reportLeftOut(terminal, leftOut);
  const journal = await Journal.open(out);
  try {
    assertSamePurpose(folder, journal.state, purpose);
    if (!isOf(journal.state, purpose)) journal.append({ entry: "run", version: VERSION, ...purpose });
    const fresh = await carryOutOrder(
      terminal,
      { journal, order, out, store, found: inputs },
      values["base-url"],
    );
    if (notFound !== undefined) throw notFound;
    if (manifest !== undefined) {
      const results = batchResults(inputs, journal.state.outcomes);
      await writeWhole(join(out, RESULTS), results);
      await store.copy(RESULTS, new Blob([results]), terminal.signal);
    }
    const reported = inputs.flatMap(({ id }) => {
      const outcome = journal.state.outcomes.get(id);
      const name = journal.state.readings.get(id)?.name ?? id;
      return outcome === undefined ? [] : [{ name, outcome }];
    });
    if (values.json === true) terminal.print(JSON.stringify(reportJson(reported, out), null, 2));
    else printReport(terminal, reported, (bucket ?? folder).replace(/[/\\]$/, ""), fresh);
    const hasFailed = reported.length < inputs.length || reported.some(({ outcome }) => outcome.hasFailed);
    if (hasFailed && fresh === 0) terminal.report("Add --retry-failed to retry the files that failed.");
    return hasFailed ? 1 : 0;
  } finally {
    journal.close();
  }
}

function reportLeftOut(terminal: Terminal, { clips, others }: LeftOut): void {
  if (clips > 0)
    terminal.report(
      `Skipped ${counted(clips, "video")} in a folder. Pass a video's path, or a pattern such as "*.mp4", to segment it.`,
    );
  const kinds = [...others].toSorted(([, a], [, b]) => b - a);
  const sum = kinds.reduce((total, [, number]) => total + number, 0);
  if (sum > 0)
    terminal.report(
      `Skipped ${counted(sum, "file")} in a folder whose ${sum === 1 ? "name is not a picture's" : "names are not those of pictures"}: ` +
        `${list(kinds.map(([extension, number]) => `${count(number)} ${extension || "without extension"}`))}. Pass a file's path to segment it anyway.`,
    );
}

/** Segments the pending files. Returns their number. */
async function carryOutOrder(
  terminal: Terminal,
  given: Pick<Segmenting, "journal" | "order" | "out" | "store" | "found">,
  baseUrl: string | undefined,
): Promise<number> {
  const view = new ProgressView(terminal);
  let fresh = 0;
  try {
    await segmentAll({
      client: (maxRetries) => clientOf(terminal, { "base-url": baseUrl }, maxRetries),
      ...given,
      signal: terminal.signal,
      onBegin: (ids, areClips) => {
        fresh = ids.length;
        if (fresh > MOST_UNASKED && !given.order.isSure)
          throw usageFailure(
            `There are ${count(fresh)} files to segment, and each picture costs a unit. Add --yes to continue.`,
          );
        view.begin(ids, areClips ? (given.order.parameters.get("frames") ?? null) : undefined);
      },
      onShare: (ids, share) => view.share(ids, share),
      onBusy: (why) => view.waits(why),
      onSent: () => view.sent(),
      onMissing: (paths) => {
        if (paths.length > 0)
          terminal.report(
            `annotations.json lacks ${counted(paths.length, "file")}, because their documents were deleted or damaged: ${list(paths)}. ` +
              "They are not segmented again, which would cost units.",
          );
      },
    });
  } catch (error) {
    view.end();
    if (terminal.signal.aborted && terminal.signal.reason instanceof Interrupted) {
      terminal.report("Stopped. Finished files are kept: run the same command again to resume.");
      throw terminal.signal.reason;
    }
    if (!(error instanceof Failure) && fresh > 0)
      terminal.report("Finished files are kept: run the same command again to resume.");
    throw error;
  } finally {
    view.end();
  }
  return fresh;
}

/** The first names of a list, and the number of the others. */
const list = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMED).map(harmless).join(", ") +
  (names.length > MOST_NAMED ? ` and ${count(names.length - MOST_NAMED)} more` : "");

export const SEGMENT: Command = {
  summary: "find what you describe in pictures and videos",
  help: HELP,
  options: OPTIONS,
  run: segment,
};
