import { join } from "node:path";
import type { EvaluateClipsCommand } from "../clips/evaluate-clips.ts";
import type { CompareCommand } from "../compare.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { flags, readArguments, texts, usageError } from "../../../scripts/shared/command-line.ts";
import {
  type CalibrateCommand,
  calibrateCommand,
  compareCommand,
  type EvaluateCommand,
  evaluateCommand,
} from "./arguments.ts";
import type { Provider } from "../../../inference-container/src/device/messages.ts";
import {
  EMBEDDED_NAMES,
  type EmbeddedName,
  isEmbedded,
} from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { CATALOGUE, catalogued } from "../../../scripts/models/install/catalogue.ts";
import type { InstallCommand } from "../../../scripts/models/install/install.ts";
import { providerOf } from "../../../scripts/models/load-options.ts";

export const MODELS_HELP = `Lists, installs, checks, describes and evaluates the models that the inference service can load.

  npm run models -- list              lists this machine's model folders, and the known families
  npm run models -- check FOLDER      loads a folder as the service does, and reports its tensors, time and memory
  npm run models -- describe FOLDER   writes the manifest.json for a folder with an export, or for a server's model
  npm run models -- evaluate FOLDER   measures what a folder finds in labeled pictures
  npm run models -- compare FOLDER    measures whether a GPU gives the CPU's results, on labeled pictures
  npm run models -- evaluate-clips DIR  measures how an object is followed through labeled videos
  npm run models -- calibrate FOLDER  fits the confidences of a folder to labeled pictures
  npm run models -- fetch builtin     downloads the embedded model (about 230 MB, once)
  npm run models -- fetch builtin-fast    makes its faster, a little less accurate variant, too
  npm run models -- install NAME      downloads a model of the catalog: ${CATALOGUE.map(({ name }) => name).join(", ")}
  npm run models -- install --from manifest.json    downloads the same bytes as a folder that install made

  --json            list, check, compare, evaluate, evaluate-clips: print JSON
  --provider NAME   check, evaluate, evaluate-clips, calibrate, install: cpu (the default), cuda or tensorrt
                    compare: cuda (the default) or tensorrt
  --cpu-nodes       check: accept graphs on cuda with nodes that ONNX Runtime runs on the CPU
  --force           describe: overwrite a manifest.json; install: replace a folder
  --accept-licence  install: do not ask whether you accept the model's license
  --server URL      describe: the model's address on a server of the Open Inference Protocol, such as
                    http://triton:8000/v2/models/segment or …/segment/versions/1

  --pictures DIR    compare, evaluate: the folder of the pictures (default samples/labelled/pictures)
  --labels FILE     compare, evaluate: their labels, in COCO's format (default samples/labelled/instances.json)
                    calibrate needs both options
  --threshold N     evaluate: ask for objects with at least this score (default 0.05)
  --sheet FILE      evaluate, evaluate-clips: write a PNG of the worst misses to FILE (default .local/misses.png)
  --model FOLDER    evaluate-clips: the model folder (default the embedded model)
  --clips A,B       evaluate-clips: only these videos
  --frames N        evaluate-clips: only the first N of each video's followed frames, 2 at least
  --detections FILE evaluate: write what was found to FILE, in COCO's format for results
  --through-api     evaluate: start the whole service with the folder, and ask as a client of its API does
  --url URL --key K evaluate --through-api: ask a service that runs already; leave FOLDER out

list, fetch and install use the folder MODEL_DIR, by default segmentation-models in your cache folder.
install takes HF_ENDPOINT, the address of another hub than https://huggingface.co, and HF_TOKEN, a token for gated models.
Exit codes: 0 for success, 1 if a folder cannot be used, 2 for a wrong command line.
docs/models.md says where to get each family; docs/contributing/quality.md what evaluate measures.
`;

/** A validated command line; paths are as given. */
export type ModelsCommand =
  | { readonly action: "help" }
  | { readonly action: "list"; readonly json: boolean }
  | {
      readonly action: "check";
      readonly folder: string;
      readonly provider: Provider;
      readonly cpuNodes: boolean;
      readonly json: boolean;
    }
  | EvaluateCommand
  | CalibrateCommand
  | CompareCommand
  | EvaluateClipsCommand
  | {
      readonly action: "describe";
      readonly folder: string;
      readonly force: boolean;
      readonly server?: string;
    }
  | { readonly action: "fetch"; readonly name: EmbeddedName }
  | ({ readonly action: "install" } & InstallCommand);

type Action = Exclude<ModelsCommand["action"], "help">;

const OPTIONS_OF: Readonly<Record<Action, readonly string[]>> = {
  list: ["json"],
  check: ["json", "provider", "cpu-nodes"],
  evaluate: [
    "json",
    "provider",
    "pictures",
    "labels",
    "threshold",
    "sheet",
    "detections",
    "through-api",
    "url",
    "key",
  ],
  compare: ["json", "provider", "pictures", "labels"],
  "evaluate-clips": ["json", "provider", "sheet", "model", "clips", "frames"],
  calibrate: ["provider", "pictures", "labels"],
  describe: ["force", "server"],
  fetch: [],
  install: ["from", "accept-licence", "force", "provider"],
};

const SEE_HELP = "See: npm run models -- --help";

const isAction = (word: string): word is Action => Object.hasOwn(OPTIONS_OF, word);

/** Reads the command line. @throws Failure, a usage error that names what is wrong */
export function parseModelsArguments(args: readonly string[]): ModelsCommand {
  const { values, positionals } = readArguments("models", args, {
    ...flags("json", "cpu-nodes", "force", "through-api", "accept-licence"),
    ...texts("provider", "pictures", "labels", "threshold", "sheet", "detections", "url", "key", "server"),
    ...texts("from", "model", "clips", "frames"),
  });
  const [action, ...operands] = positionals;
  if (values.help === true || action === undefined) return { action: "help" };
  if (!isAction(action)) throw usageError(`Unknown command "${action}".\n${SEE_HELP}`);
  const foreign = Object.keys(values).find((name) => !OPTIONS_OF[action].includes(name));
  if (foreign !== undefined) throw usageError(`${action} does not take --${foreign}.\n${SEE_HELP}`);
  if (operands.length > (action === "list" ? 0 : 1))
    throw usageError(`Too many arguments for ${action}.\n${SEE_HELP}`);
  const json = values.json ?? false;
  const folder = (): string => {
    const [given] = operands;
    if (given === undefined || given === "")
      throw usageError(`The folder is missing: npm run models -- ${action} FOLDER`);
    return given;
  };
  switch (action) {
    case "list":
      return { action, json };
    case "check":
      return {
        action,
        folder: folder(),
        provider: providerOf(values.provider),
        cpuNodes: values["cpu-nodes"] ?? false,
        json,
      };
    case "evaluate":
      return evaluateCommand(operands[0] === "" ? undefined : operands[0], values);
    case "compare":
      return compareCommand(folder(), values);
    case "evaluate-clips":
      return {
        action,
        folder: folder(),
        model: values.model,
        provider: providerOf(values.provider),
        clips: values.clips?.split(",").filter((clip) => clip !== ""),
        frames: framesOf(values.frames),
        sheet: values.sheet ?? join(PROJECT_ROOT, ".local", "clips.png"),
        json,
      };
    case "calibrate":
      return calibrateCommand(folder(), values);
    case "describe":
      return {
        action,
        folder: folder(),
        force: values.force ?? false,
        ...(values.server !== undefined && { server: values.server }),
      };
    case "fetch":
      return { action, name: embedded(operands[0]) };
    case "install":
      return {
        action,
        model: modelToInstall(operands[0], values.from),
        acceptLicence: values["accept-licence"] ?? false,
        force: values.force ?? false,
        provider: providerOf(values.provider),
      };
  }
}

function embedded(name = ""): EmbeddedName {
  if (isEmbedded(name)) return name;
  throw usageError(
    `Only the embedded models can be fetched, with: npm run models -- fetch ${EMBEDDED_NAMES.join(" or ")}`,
  );
}

function framesOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const frames = Number(given);
  if (Number.isInteger(frames) && frames >= 2) return frames;
  throw usageError("--frames must be a whole number from 2.");
}

function modelToInstall(name: string | undefined, from: string | undefined): InstallCommand["model"] {
  if (name !== undefined && from === undefined) return { name: catalogued(name).name };
  if (name === undefined && from !== undefined) return { from };
  throw usageError(`install takes either the name of a model or --from manifest.json.\n${SEE_HELP}`);
}
