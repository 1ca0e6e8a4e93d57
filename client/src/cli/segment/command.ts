import { resolve } from "node:path";
import { formatsOf } from "../../results/assets.ts";
import { baseUrlOf, clientOf } from "../account/client.ts";
import type { Command } from "../command/parse.ts";
import { Failure, usageFailure } from "../failure.ts";
import { ProgressView } from "../progress/progress.ts";
import { count, counted } from "../progress/words.ts";
import { Interrupted, type Terminal } from "../terminal.ts";
import { OPTIONS, parseOrder } from "./arguments.ts";
import { type Found, findInputs } from "./inputs/find-inputs.ts";
import { VERSION } from "./journal/entries.ts";
import { Journal } from "./journal/journal.ts";
import { type Order, purposeOf } from "./order.ts";
import { printReport, reportJson } from "./output/report.ts";
import { segmentAll } from "./run/segment-all.ts";

/** More files need --yes: each picture costs a unit. */
const MOST_UNASKED = 10_000;

/** Formats that are saved only on request. */
const EXTRA_FORMATS = formatsOf("image").filter((format) => format !== "coco");

const HELP = `Finds what you describe in pictures and clips, and saves its masks.

  segmentation-client segment photo.jpg -p cat -p "red cup"
  segmentation-client segment photos/ "more/*.png" https://… -p cat --out masks
  segmentation-client segment clip.mp4 -p person --fps 2 --preview

  -p, --prompt WORDS     what to find; may be repeated
  --region X,Y,W,H       a box around one object, in pixels; may be repeated
  --format LIST          png,coco (default), also ${EXTRA_FORMATS.join(", ")}
  --preview              also save pictures with their masks drawn on them
  --threshold T          the lowest confidence to keep, 0 to 1 (default 0.5)
  --out DIR              the folder for the results (default: out)
  --fps N, --frames N, --max-frames N     which frames of a clip
  --retry-failed         retry files that failed before
  --yes                  segment more than 10,000 files without confirmation
  --json                 print the results as JSON
  --base-url URL         the service (default: that of your last login)

Run the same command again to resume after Ctrl-C, or to segment new and changed
files: finished files are neither sent nor charged again.
Exit codes: 0 for success, 1 if a file failed, 2 for a usage error.`;

async function segment(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, order } = parseOrder(args);
  const out = resolve(order.out);
  const { inputs, clipsLeftOut } = await findInputs(order.inputs, out);
  if (order.regions.length > 0 && inputs.some(({ kind }) => kind === "clip"))
    throw usageFailure("Clips do not support --region. Segment clips without it.");
  if (clipsLeftOut > 0)
    terminal.report(
      `Skipped ${counted(clipsLeftOut, "clip")} in folders: name clips explicitly to segment them.`,
    );
  const baseUrl = await baseUrlOf(terminal, values["base-url"]);
  const journal = await Journal.open(out);
  try {
    assertSamePurpose(journal, order, baseUrl);
    const fresh = await carryOutOrder(terminal, journal, order, out, inputs, values["base-url"]);
    const reported = inputs.flatMap(({ id }) => {
      const outcome = journal.state.outcomes.get(id);
      const name = journal.state.readings.get(id)?.name ?? id;
      return outcome === undefined ? [] : [{ name, outcome }];
    });
    if (values.json === true) terminal.print(JSON.stringify(reportJson(reported, out), null, 2));
    else printReport(terminal, reported, order.out.replace(/[/\\]$/, ""), fresh);
    const hasFailed = reported.length < inputs.length || reported.some(({ outcome }) => outcome.hasFailed);
    if (hasFailed && fresh === 0) terminal.report("Add --retry-failed to retry the files that failed.");
    return hasFailed ? 1 : 0;
  } finally {
    journal.close();
  }
}

/** Segments the pending files. Returns how many there were. */
async function carryOutOrder(
  terminal: Terminal,
  journal: Journal,
  order: Order,
  out: string,
  found: readonly Found[],
  baseUrl: string | undefined,
): Promise<number> {
  const view = new ProgressView(terminal);
  let fresh = 0;
  try {
    await segmentAll({
      client: (maxRetries) => clientOf(terminal, { "base-url": baseUrl }, maxRetries),
      journal,
      order,
      out,
      found,
      signal: terminal.signal,
      onBegin: (ids) => {
        fresh = ids.length;
        if (fresh > MOST_UNASKED && !order.isSure)
          throw usageFailure(
            `There are ${count(fresh)} files to segment, and each picture costs a unit. Add --yes to continue.`,
          );
        view.begin(ids);
      },
      onShare: (ids, share) => view.share(ids, share),
      onBusy: (why) => view.waits(why),
      onSent: () => view.sent(),
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

/** @throws Failure with exit code 2 if the folder has the results of another order */
function assertSamePurpose(journal: Journal, order: Order, baseUrl: string): void {
  const purpose = purposeOf(order);
  const { run, outcomes, open } = journal.state;
  if (run?.order === purpose && run.baseUrl === baseUrl) return;
  // A run without results leaves a folder that accepts any order.
  if (run === undefined || (outcomes.size === 0 && open.size === 0 && run.baseUrl === baseUrl))
    return journal.append({ entry: "run", version: VERSION, baseUrl, order: purpose });
  const other = run.baseUrl === baseUrl ? "other prompts or options" : `the service at ${run.baseUrl}`;
  throw usageFailure(
    `${order.out} has results of a run with ${other}. Choose another folder with --out, or delete it.`,
  );
}

export const SEGMENT: Command = {
  summary: "find what you describe in pictures and clips",
  help: HELP,
  options: OPTIONS,
  run: segment,
};
