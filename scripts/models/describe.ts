import { existsSync, renameSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  describeFolder,
  readTemplate,
  recogniseTemplate,
  type Template,
} from "../../inference-container/src/models/describe-folder.ts";
import { ModelFolderError } from "../../inference-container/src/models/folder-error.ts";
import { MANIFEST_NAME, SIDECAR } from "../../inference-container/src/models/folder.ts";
import type { TensorSpec } from "../../inference-container/src/models/manifest.ts";
import { type GraphSignature, readSignature } from "../../inference-container/src/models/read-signature.ts";
import { Failure } from "../shared/command-line.ts";
import { codeOf } from "../shared/error-parts.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

const MODELS = join("inference-container", "models");
/** The families whose folders an operator makes, by the folders of their templates. */
const FAMILIES = ["grounding-dino-sam2", "sam3"];
const GRAPH = /\.(?:onnx|ort)$/;

/** What was recognised, as sentences for the person who asked. */
export interface Description {
  readonly manifest: string;
  /** What the template says of itself. */
  readonly recognised: string;
  readonly filledIn: readonly string[];
}

/**
 * Writes the manifest of a folder that holds an export: the template that its graphs have the tensors of,
 * with sizes, digests, the weights beside the graphs, and half precision where the graphs have it.
 * @throws Failure or ModelFolderError with a sentence on what is missing, there already, or unknown
 */
export async function describeExport(
  folder: string,
  { force }: { readonly force: boolean },
  signal: AbortSignal,
): Promise<Description> {
  const path = join(folder, MANIFEST_NAME);
  const files = await filesIn(folder);
  if (files.includes(MANIFEST_NAME) && !force)
    throw new Failure(`${path} is there already; --force overwrites it.`);
  const graphs: GraphSignature[] = [];
  for (const file of files.filter((name) => GRAPH.test(name))) {
    signal.throwIfAborted();
    graphs.push(await readSignature(folder, file));
  }
  const template = recogniseTemplate(await readTemplates(), graphs);
  if (template === undefined) throw new Failure(unrecognised(folder, graphs));
  const halves = halfPrecision(template, graphs);
  const beside = files.filter(
    (name) => SIDECAR.test(name) && !template.files.some((file) => file.name === name),
  );
  const described = await describeFolder(folder, {
    ...template,
    graphs: withDtypes(template, halves),
    files: [...template.files, ...beside.map((name) => ({ name, role: "weights" }))],
  }).catch((error: unknown) => {
    if (!(error instanceof ModelFolderError)) throw error;
    throw new Failure(
      `${error.message} What belongs in the folder: ${join(MODELS, String(template["family"]), "README.md")}`,
    );
  });
  signal.throwIfAborted();
  writeAtOnce(path, `${JSON.stringify(described, null, 2)}\n`, force);
  return {
    manifest: path,
    recognised: String(template["description"]),
    filledIn: [
      "the graphs' files, the sizes and the digests",
      ...(halves.size > 0 ? [`float16 for ${[...halves].join(", ")}`] : []),
      ...(beside.length > 0 ? [`the weights ${beside.join(", ")}`] : []),
    ],
  };
}

async function filesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") throw new Failure(`There is no folder ${folder}.`);
    if (codeOf(error) === "ENOTDIR")
      throw new Failure(`${folder} is a file; the folder around it is wanted.`);
    throw error;
  });
}

async function readTemplates(): Promise<Template[]> {
  const paths: string[] = [];
  for (const family of FAMILIES) {
    const folder = join(PROJECT_ROOT, MODELS, family);
    for (const name of await readdir(folder)) if (name.endsWith(".json")) paths.push(join(folder, name));
  }
  return await Promise.all(paths.map(async (path) => readTemplate(JSON.parse(await readFile(path, "utf8")))));
}

/** The tensors that a template has in single precision and the file in half. */
function halfPrecision(template: Template, graphs: readonly GraphSignature[]): Set<string> {
  const halves = Object.values(template.graphs).flatMap((spec) => {
    const types = graphs.find(({ file }) => file === spec.file)?.types;
    return [...spec.inputs, ...spec.outputs].filter(
      ({ name, dtype }) => dtype === "float32" && types?.get(name) === "float16",
    );
  });
  return new Set(halves.map(({ name }) => name));
}

function withDtypes(template: Template, halves: ReadonlySet<string>): Template["graphs"] {
  const fit = (tensor: TensorSpec): TensorSpec =>
    halves.has(tensor.name) ? { ...tensor, dtype: "float16" } : tensor;
  return Object.fromEntries(
    Object.entries(template.graphs).map(([key, { inputs, outputs, ...rest }]) => [
      key,
      { ...rest, inputs: inputs.map(fit), outputs: outputs.map(fit) },
    ]),
  );
}

function unrecognised(folder: string, graphs: readonly GraphSignature[]): string {
  if (graphs.length === 0) return `There is no .onnx or .ort file in ${folder}.`;
  const lines = graphs.map(
    ({ file, inputs, outputs }) => `  ${file}: ${inputs.join(", ")} → ${outputs.join(", ")}`,
  );
  return [
    `The graphs in ${folder} are no export of ${FAMILIES.join(" or ")} that a template in ${MODELS} describes. They take and give:`,
    ...lines,
  ].join("\n");
}

/** Without a pause in which a signal could leave half of it; one that came meanwhile stays unless `force` is set. */
function writeAtOnce(path: string, text: string, force: boolean): void {
  if (existsSync(path) && !force) throw new Failure(`${path} came meanwhile; --force overwrites it.`);
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, path);
}
