import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { DownloadError } from "../../inference-container/src/models/fetch/download-error.ts";
import { ensureBuiltin } from "../../inference-container/src/models/fetch/ensure-builtin.ts";
import { modelsRoot } from "../../inference-container/src/models/fetch/models-root.ts";
import { ModelFolderError } from "../../inference-container/src/models/folder-error.ts";
import { FAMILIES } from "../../inference-container/src/models/load.ts";
import { Failure } from "../shared/command-line.ts";
import { MODELS_HELP, type ModelsCommand, parseModelsArguments } from "./arguments.ts";
import { checkModel } from "./check.ts";
import { describeExport } from "./describe.ts";
import { listModels } from "./list.ts";
import { descriptionLines, listLines, reportLines } from "./print.ts";

type Action = Exclude<ModelsCommand, { action: "help" }>;

/** Runs one command on models and returns the exit code. */
export async function runModels(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = parseModelsArguments(args);
  if (command.action === "help") {
    console.log(MODELS_HELP);
    return args.length === 0 ? 2 : 0;
  }
  const aborted = once(signal, "abort").then((): never => {
    throw signal.reason;
  });
  try {
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
      const { folder, provider, json } = command;
      const report = await checkModel(folder, provider, signal);
      if (json) printJson({ folder, ...report });
      else if (report.usable) print(reportLines(folder, report));
      else throw new Failure(report.error);
      return report.usable ? 0 : 1;
    }
    case "describe":
      print(descriptionLines(command.folder, await describeExport(command.folder, command, signal)));
      return 0;
    case "fetch":
      console.log(await ensureBuiltin());
      return 0;
  }
}

/** Prints lines without control sequences, because tensor names and manifests come from others. */
function print(lines: readonly string[]): void {
  for (const line of lines) console.log(stripVTControlCharacters(line));
}

function printJson(value: object): void {
  console.log(JSON.stringify(value, null, 2));
}
