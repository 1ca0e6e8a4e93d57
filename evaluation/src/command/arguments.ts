import { join } from "node:path";
import type { Provider } from "../../../inference-container/src/device/messages.ts";
import { providerOf } from "../../../scripts/models/load-options.ts";
import { usageError } from "../../../scripts/shared/command-line.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import type { CompareCommand } from "../compare.ts";

/** A validated command line; paths are as given. */
export interface EvaluateCommand {
  readonly action: "evaluate";
  /** The subject of the evaluation: a folder alone, a folder behind a local service, or a running service. */
  readonly subject:
    | { readonly kind: "folder"; readonly folder: string; readonly provider: Provider }
    | { readonly kind: "local service"; readonly folder: string }
    | { readonly kind: "service"; readonly url: string; readonly key: string };
  readonly json: boolean;
  readonly pictures: string;
  readonly labels: string;
  /** The lowest score to report, 0 to 1. */
  readonly threshold: number;
  /** Path for the picture of the worst misses. */
  readonly sheet: string;
  /** Path for the detections, in COCO's results format. */
  readonly detections?: string | undefined;
}

/** Low enough for the tail that average precision needs. */
const THRESHOLD = 0.05;

type Text = "provider" | "pictures" | "labels" | "threshold" | "sheet" | "detections" | "url" | "key";
type Flag = "json" | "through-api";
type Given = { readonly [name in Text]?: string | undefined } & {
  readonly [name in Flag]?: boolean | undefined;
};

/** Validates the options of `evaluate`; `folder` is undefined if none is given. @throws Failure, a usage error */
export function evaluateCommand(folder: string | undefined, given: Given): EvaluateCommand {
  return {
    action: "evaluate",
    subject: subjectOf(folder, given),
    json: given.json ?? false,
    ...setOf(given),
    threshold: thresholdOf(given.threshold),
    sheet: given.sheet ?? join(PROJECT_ROOT, ".local", "misses.png"),
    detections: given.detections,
  };
}

/** The labeled set to use, by default the sample. */
function setOf({ pictures, labels }: Given): Pick<EvaluateCommand, "pictures" | "labels"> {
  if ((pictures === undefined) !== (labels === undefined))
    throw usageError("--pictures and --labels belong together. Give both, or neither to use the sample.");
  const sample = join(PROJECT_ROOT, "samples", "labelled");
  return {
    pictures: pictures ?? join(sample, "pictures"),
    labels: labels ?? join(sample, "instances.json"),
  };
}

/** Validates the options of `compare`. @throws Failure, a usage error */
export function compareCommand(folder: string, given: Given): CompareCommand {
  const provider = providerOf(given.provider ?? "cuda");
  if (provider === "cpu")
    throw usageError("compare measures another provider against the CPU: --provider cuda.");
  return { action: "compare", folder, provider, json: given.json ?? false, ...setOf(given) };
}

function thresholdOf(given: string | undefined): number {
  if (given === undefined) return THRESHOLD;
  const threshold = given.trim() === "" ? Number.NaN : Number(given);
  if (threshold >= 0 && threshold <= 1) return threshold;
  throw usageError("--threshold must be a number from 0 to 1.");
}

function subjectOf(folder: string | undefined, given: Given): EvaluateCommand["subject"] {
  const { url, key } = given;
  const throughApi = given["through-api"] ?? false;
  if (!throughApi && (url !== undefined || key !== undefined))
    throw usageError("--url and --key are for --through-api.");
  if (throughApi && given.provider !== undefined)
    throw usageError("--provider is not for --through-api: a service has its own (EXECUTION_PROVIDER).");
  if (url !== undefined || key !== undefined) {
    if (url === undefined || key === undefined)
      throw usageError("--url and --key belong together. Give both, or neither for a local service.");
    if (!URL.canParse(url))
      throw usageError("--url must be the address of a service, such as https://segment.example.com.");
    if (folder !== undefined) throw usageError("A service at --url has its own model. Leave the folder out.");
    return { kind: "service", url, key };
  }
  if (folder === undefined) throw usageError("The folder is missing: npm run models -- evaluate FOLDER");
  return throughApi
    ? { kind: "local service", folder }
    : { kind: "folder", folder, provider: providerOf(given.provider) };
}

/** A validated command line; paths are as given. */
export interface CalibrateCommand {
  readonly action: "calibrate";
  readonly folder: string;
  readonly provider: Provider;
  readonly pictures: string;
  readonly labels: string;
}

/** Validates the options of `calibrate`. @throws Failure, a usage error */
export function calibrateCommand(folder: string, { provider, pictures, labels }: Given): CalibrateCommand {
  if (pictures === undefined || labels === undefined)
    throw usageError(
      "calibrate needs --pictures DIR and --labels FILE: fifty pictures or more, with complete labels.",
    );
  return { action: "calibrate", folder, provider: providerOf(provider), pictures, labels };
}
