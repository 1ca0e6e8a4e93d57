import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { calibrate } from "../calibrate.ts";
import { compareProviders, comparisonLines } from "../compare.ts";
import { evaluate } from "../evaluate.ts";
import { clipLines, evaluateClips } from "../clips/evaluate-clips.ts";
import { calibrationLines, evaluationLines } from "../print.ts";
import { DownloadError, ModelFolderError } from "../../../inference-container/src/models/errors.ts";
import { ensureEmbedded, modelsRoot } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { FAMILIES } from "../../../inference-container/src/models/families.ts";
import { Failure } from "../../../scripts/shared/command-line.ts";
import { MODELS_HELP, type ModelsCommand, parseModelsArguments } from "./models-arguments.ts";
import { checkModel } from "../../../scripts/models/check.ts";
import { describeExport } from "../../../scripts/models/describe.ts";
import { describeServer } from "../../../scripts/models/describe-server.ts";
import { install } from "../../../scripts/models/install/install.ts";
import { listModels } from "../../../scripts/models/list.ts";
import type { Description } from "../../../scripts/models/write-manifest.ts";
import { descriptionLines, installedLines, listLines, reportLines } from "../../../scripts/models/print.ts";

type Action = Exclude<ModelsCommand, { action: "help" }>;

/** Runs one command on models and returns the exit code. */
export async function runModels(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = parseModelsArguments(args);
  if (command.action === "help") {
    console.log(MODELS_HELP);
    return args.length === 0 ? 2 : 0;
  }
  try {
    // It watches the signal itself, and cleans up.
    if (command.action === "evaluate" && command.subject.kind === "local service")
      return await perform(command, signal);
    const aborted = once(signal, "abort").then((): never => {
      throw signal.reason;
    });
    // Downloads and digests of gigabytes do not watch the signal; ending them with the process loses nothing.
    return await Promise.race([perform(command, signal), aborted]);
  } catch (error) {
    if (error instanceof ModelFolderError || error instanceof DownloadError) throw new Failure(error.message);
    throw error;
  }
}

async function perform(command: Action, signal: AbortSignal): Promise<number> {
  switch (command.action) {
    case "list": {
      const root = modelsRoot();
      const folders = await listModels(root);
      const families = [...FAMILIES.keys()];
      if (command.json) printJson({ root, families, folders });
      else print(listLines(root, folders, families));
      return 0;
    }
    case "check": {
      const { folder, json } = command;
      const report = await checkModel(command, signal);
      if (json) printJson({ folder, ...report });
      else if (report.usable) print(reportLines(folder, report));
      else throw new Failure(report.error);
      return report.usable ? 0 : 1;
    }
    case "evaluate": {
      const evaluation = await evaluate(command, signal);
      if (command.json) printJson(evaluation);
      else print(evaluationLines(evaluation));
      return 0;
    }
    case "compare": {
      const comparison = await compareProviders(command);
      if (command.json) printJson(comparison);
      else print(comparisonLines(comparison));
      return comparison.equal ? 0 : 1;
    }
    case "evaluate-clips": {
      const figures = await evaluateClips(command, signal);
      if (command.json) printJson(figures);
      else print([...clipLines(figures), `worst frames  ${command.sheet}`]);
      return 0;
    }
    case "calibrate":
      print(calibrationLines(await calibrate(command)));
      return 0;
    case "describe":
      print(descriptionLines(command.folder, await describe(command, signal)));
      return 0;
    case "fetch":
      console.log(await ensureEmbedded(command.name));
      return 0;
    case "install":
      print(installedLines(await install(command, signal)));
      return 0;
  }
}

function describe(
  command: Extract<Action, { action: "describe" }>,
  signal: AbortSignal,
): Promise<Description> {
  const { folder, server } = command;
  return server === undefined
    ? describeExport(folder, command, signal)
    : describeServer(folder, { ...command, server });
}

/** Prints lines without control sequences, because tensor names and manifests come from others. */
function print(lines: readonly string[]): void {
  for (const line of lines) console.log(stripVTControlCharacters(line));
}

function printJson(value: object): void {
  console.log(JSON.stringify(value, null, 2));
}
