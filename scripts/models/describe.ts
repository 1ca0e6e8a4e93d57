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
import { FAMILIES } from "../../inference-container/src/models/load.ts";
import type { TensorSpec } from "../../inference-container/src/models/manifest.ts";
import { type GraphSignature, readSignature } from "../../inference-container/src/models/read-signature.ts";
import { Failure } from "../shared/command-line.ts";
import { codeOf } from "../shared/error-parts.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

const MODELS = join("inference-container", "models");
const GRAPH = /\.(?:onnx|ort)$/;

/** What was recognised and written, for people. */
export interface Description {
  readonly manifest: string;
  /** The template's description of itself. */
  readonly recognised: string;
  readonly filledIn: readonly string[];
}

/**
 * Writes the manifest of a folder that holds an export. It takes the template with the same tensors as the graphs and
 * adds sizes, digests, external weights, and half precision if the graphs have it.
 * @throws Failure or ModelFolderError that says what is missing, already there, or unknown
 */
export async function describeExport(
  folder: string,
  { force }: { readonly force: boolean },
  signal: AbortSignal,
): Promise<Description> {
  const path = join(folder, MANIFEST_NAME);
  const files = await filesIn(folder);
  if (files.includes(MANIFEST_NAME) && !force)
    throw new Failure(`${path} already exists. Use --force to overwrite it.`);
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
      `${error.message} See what belongs in the folder: ${join(MODELS, String(template["family"]), "README.md")}`,
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
      throw new Failure(`${folder} is a file. Give the folder that contains it.`);
    throw error;
  });
}

/** The templates of all families. A family without one, such as builtin, has a finished manifest instead. */
async function readTemplates(): Promise<Template[]> {
  const paths: string[] = [];
  for (const family of FAMILIES.keys()) {
    const folder = join(PROJECT_ROOT, MODELS, family);
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && name !== MANIFEST_NAME);
    paths.push(...names.map((name) => join(folder, name)));
  }
  return await Promise.all(paths.map(async (path) => readTemplate(JSON.parse(await readFile(path, "utf8")))));
}

/** The names of tensors that are float32 in the template and float16 in the file. */
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
    `No template in ${MODELS} fits the graphs in ${folder}. Their inputs → outputs are:`,
    ...lines,
  ].join("\n");
}

/** Writes a file in one step, so that a signal cannot leave half of it. @throws Failure if the file exists and `force` is false */
function writeAtOnce(path: string, text: string, force: boolean): void {
  if (existsSync(path) && !force)
    throw new Failure(`${path} was created in the meantime. Use --force to overwrite it.`);
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, path);
}
