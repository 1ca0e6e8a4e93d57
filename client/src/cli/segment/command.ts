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

/** Whoever segments more has to say so: each picture costs a unit. */
const MOST_UNASKED = 10_000;

/** What is saved only if it is asked for. */
const EXTRA_FORMATS = formatsOf("image").filter((format) => format !== "coco");

const HELP = `Finds what you name in pictures and clips, and saves masks of it.

  segmentation-client segment photo.jpg -p cat -p "red cup"
  segmentation-client segment photos/ "more/*.png" https://… -p cat --out masks
  segmentation-client segment clip.mp4 -p person --fps 2 --preview

  -p, --prompt WORDS     what to find; once for each
  --region X,Y,W,H       a box around one object, in pixels, instead of words
  --format LIST          png,coco (default), and ${EXTRA_FORMATS.join(", ")}
  --preview              pictures with their masks drawn on them, too
  --threshold T          leave out what is less certain, 0 to 1 (default 0.5)
  --out DIR              where results go (default: out)
  --fps N, --frames N, --max-frames N     which frames of a clip
  --retry-failed         try again what failed before
  --yes                  segment more than 10,000 files without being asked
  --json                 print the results for programs
  --base-url URL         the service, if it is not that of your last login

Run it again to go on after Ctrl-C, or with what is new or has changed: what
is done is neither sent nor charged again.
Exit code 0; 1 if something failed, which is listed; 2 for a wrong command.`;

async function segment(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, order } = parseOrder(args);
  const out = resolve(order.out);
  const { inputs, clipsLeftOut } = await findInputs(order.inputs, out);
  if (order.regions.length > 0 && inputs.some(({ kind }) => kind === "clip"))
    throw usageFailure("A clip takes no --region. Name clips without it.");
  if (clipsLeftOut > 0)
    terminal.tell(`Left out ${counted(clipsLeftOut, "clip")} in folders: name clips to have them segmented.`);
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
    if (hasFailed && fresh === 0) terminal.tell("--retry-failed tries again what has failed.");
    return hasFailed ? 1 : 0;
  } finally {
    journal.close();
  }
}

/** Segments what is to do. Returns how many files that were. */
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
            `There are ${count(fresh)} files to segment, and each picture costs a unit. Add --yes to go on.`,
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
      terminal.tell("Stopped. What is done stays done: run the same command again to go on.");
      throw terminal.signal.reason;
    }
    if (!(error instanceof Failure) && fresh > 0)
      terminal.tell("What is done stays done: run the same command again to go on.");
    throw error;
  } finally {
    view.end();
  }
  return fresh;
}

/** @throws Failure with exit code 2 if the folder has results of another order */
function assertSamePurpose(journal: Journal, order: Order, baseUrl: string): void {
  const purpose = purposeOf(order);
  const { run, outcomes, open } = journal.state;
  if (run?.order === purpose && run.baseUrl === baseUrl) return;
  // A run that came to nothing leaves a folder that takes any order.
  if (run === undefined || (outcomes.size === 0 && open.size === 0 && run.baseUrl === baseUrl))
    return journal.append({ entry: "run", version: VERSION, baseUrl, order: purpose });
  const other = run.baseUrl === baseUrl ? "other prompts or options" : `the service at ${run.baseUrl}`;
  throw usageFailure(`${order.out} has results of ${other}. Choose another folder with --out, or delete it.`);
}

export const SEGMENT: Command = {
  summary: "find what you name in pictures and clips",
  help: HELP,
  options: OPTIONS,
  run: segment,
};
