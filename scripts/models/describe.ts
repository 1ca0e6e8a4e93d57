import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type GraphSignature,
  readSignature,
  readTemplates,
  recogniseTemplate,
  type Template,
} from "../../inference-container/src/models/describe-folder.ts";
import { MANIFEST_NAME, SIDECAR } from "../../inference-container/src/models/folder.ts";
import { FAMILIES, SERVER_FAMILY } from "../../inference-container/src/models/families.ts";
import type { TensorSpec } from "../../inference-container/src/models/manifest.ts";
import {
  divideOwlvit,
  isPartOfOwlvit,
  isWholeOwlvit,
} from "../../inference-container/src/models/owlvit/divide.ts";
import { Failure } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { type Description, filesToDescribe, MODELS, writeManifest } from "./write-manifest.ts";

const GRAPH = /\.(?:onnx|ort)$/;

/**
 * Writes the manifest of a folder that holds an export. It takes the template with the same tensors as the graphs and adds sizes,
 * digests, external weights, and half precision if the graphs have it.
 * @throws Failure or ModelFolderError that names the missing, existing or unknown file or tensor
 */
export async function describeExport(
  folder: string,
  { force }: { readonly force: boolean },
  signal: AbortSignal,
): Promise<Description> {
  const files = await filesToDescribe(folder, force);
  const { graphs, whole } = await readGraphs(folder, signal);
  const template = recogniseTemplate(await templatesOfAll(), graphs);
  if (template === undefined) throw new Failure(unrecognised(folder, graphs));
  const halves = halfPrecision(template, graphs);
  const beside = files.filter(
    (name) => (SIDECAR.test(name) || name === whole) && !template.files.some((file) => file.name === name),
  );
  signal.throwIfAborted();
  const manifest = await writeManifest(
    folder,
    {
      ...template,
      graphs: withDtypes(template, halves),
      files: [...template.files, ...beside.map((name) => ({ name, role: "weights" }))],
    },
    force,
  );
  return {
    manifest,
    recognised: String(template["description"]),
    filledIn: [
      "the graphs' files, the sizes and the digests",
      ...(halves.size > 0 ? [`float16 for ${[...halves].join(", ")}`] : []),
      ...(whole === undefined ? [] : [`the parts of ${whole}`]),
      ...(beside.length > 0 ? [`the weights ${beside.join(", ")}`] : []),
    ],
    unused: graphs
      .map(({ file }) => file)
      .filter((file) => file !== whole && !Object.values(template.graphs).some((spec) => spec.file === file)),
  };
}

/**
 * Returns the signatures of a folder's graphs. Divides a whole export of OWL-ViT or OWLv2 into parts first, which it writes to
 * the folder.
 * @returns also the file of such an export, from which the parts read their weights
 * @throws Failure or ModelFolderError if a graph cannot be read or divided, or if there are two such exports
 */
export async function readGraphs(
  folder: string,
  signal: AbortSignal,
): Promise<{ graphs: GraphSignature[]; whole: string | undefined }> {
  const graphs: GraphSignature[] = [];
  const read = async (wanted: (file: string) => boolean): Promise<void> => {
    for (const file of (await readdir(folder)).filter((name) => GRAPH.test(name) && wanted(name))) {
      signal.throwIfAborted();
      graphs.push(await readSignature(folder, file));
    }
  };
  await read((file) => !isPartOfOwlvit(file));
  const [whole, other] = graphs.filter(isWholeOwlvit);
  if (other !== undefined)
    throw new Failure(
      `${folder} has two exports of OWL-ViT, ${whole?.file} and ${other.file}. Keep one there.`,
    );
  if (whole !== undefined) await divideOwlvit(folder, whole.file);
  await read(isPartOfOwlvit);
  return { graphs, whole: whole?.file };
}

/** The templates of all families. A family without one, such as builtin, has a finished manifest instead. */
async function templatesOfAll(): Promise<Template[]> {
  const templates: Template[] = [];
  for (const family of FAMILIES.keys()) {
    // Its models have no local graphs.
    if (family === SERVER_FAMILY) continue;
    const folder = join(PROJECT_ROOT, MODELS, family);
    const found = new Map<string, unknown>();
    for (const name of await readdir(folder))
      if (name.endsWith(".json") && name !== MANIFEST_NAME)
        found.set(name, JSON.parse(await readFile(join(folder, name), "utf8")));
    templates.push(...readTemplates(found).values());
  }
  return templates;
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
