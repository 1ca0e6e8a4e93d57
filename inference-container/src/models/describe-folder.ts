/** Turns a manifest template into a folder's manifest: fills in values from the files. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelFolderError } from "./errors.ts";
import { fileDigest } from "./folder.ts";
import { sameShape } from "./graph.ts";
import { GraphSpec } from "./manifest.ts";
import { InferenceSession } from "../onnx/runtime.ts";
import { messageOf } from "../errors.ts";

/** The part of a template that this module reads. A template has no sizes and digests yet. */
export const FileTemplate = z.looseObject({
  files: z.array(z.looseObject({ name: z.string(), role: z.string() })),
});
export type FileTemplate = z.infer<typeof FileTemplate>;

/** A template for graphs. */
const Template = FileTemplate.extend({ graphs: z.record(z.string(), GraphSpec) });
export type Template = z.infer<typeof Template>;

/** The names of the tensors in a graph's file, and their shapes as far as ONNX Runtime knows them. */
export interface GraphNames {
  readonly file: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly shapes?: ReadonlyMap<string, readonly (number | string)[]>;
}

/** Reads a template. @throws z.ZodError if it lists no files or no graphs */
export function readTemplate(template: unknown): Template {
  return Template.parse(template);
}

/** The additions of a template to another one of its folder: files, graphs, tensors of its graphs, other fields. */
const Addition = FileTemplate.extend({
  extends: z.string(),
  graphs: z.record(z.string(), GraphSpec.partial()),
});
type Addition = z.infer<typeof Addition>;

/** Completes the templates of a folder, by their files' names: one that extends another contains it. */
export function readTemplates(found: ReadonlyMap<string, unknown>): Map<string, Template> {
  return new Map(
    [...found].map(([name, template]) => {
      const addition = Addition.safeParse(template).data;
      return [name, addition === undefined ? readTemplate(template) : extended(addition, found)] as const;
    }),
  );
}

function extended({ extends: name, ...addition }: Addition, found: ReadonlyMap<string, unknown>): Template {
  const base = readTemplate(found.get(name));
  const graphs = Object.entries(addition.graphs).map(([key, { inputs = [], outputs = [], ...rest }]) => {
    const before = base.graphs[key];
    const tensors = {
      inputs: [...(before?.inputs ?? []), ...inputs],
      outputs: [...(before?.outputs ?? []), ...outputs],
    };
    return [key, { ...before, ...rest, ...tensors }] as const;
  });
  return readTemplate({
    ...base,
    ...addition,
    files: [...base.files, ...addition.files],
    graphs: { ...base.graphs, ...Object.fromEntries(graphs) },
  });
}

/**
 * The template whose graphs have the tensors of the graphs found, with their file names; undefined if none or several
 * fit. Of those that fit, the ones with the most graphs count. Compares the names of tensors, and where several templates
 * have the same names, their sizes too. Loading checks types and shapes.
 */
export function recogniseTemplate(
  templates: readonly Template[],
  found: readonly GraphNames[],
): Template | undefined {
  const fitting = templates.flatMap((template) => {
    const files = Object.values(template.graphs).map((spec) => {
      const fits = found.filter((graph) => hasTensors(graph, spec));
      return fits.length === 1 && fits[0] !== undefined ? ([spec.file, fits[0].file] as const) : undefined;
    });
    const renamed = files.filter((pair) => pair !== undefined);
    return renamed.length === files.length ? [withFiles(template, new Map(renamed))] : [];
  });
  const most = Math.max(...fitting.map(countGraphs));
  const fullest = fitting.filter((template) => countGraphs(template) === most);
  const sized = fullest.length > 1 ? fullest.filter(({ graphs }) => haveSizes(graphs, found)) : fullest;
  return sized.length === 1 ? sized[0] : undefined;
}

/**
 * The template with the sizes and SHA-256 digests of the folder's files. Leaves out a missing file with the role
 * "weights": an export of less than 2 GB keeps its weights in the graph.
 * @throws ModelFolderError naming a missing file with another role
 */
export async function describeFolder(folder: string, { files, ...rest }: FileTemplate): Promise<object> {
  const described = [];
  for (const file of files) {
    const path = join(folder, file.name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined) described.push({ ...file, size: found.size, sha256: await fileDigest(path) });
    else if (file.role !== "weights")
      throw new ModelFolderError(`The model folder ${folder} lacks the file ${file.name}.`);
  }
  return { ...rest, files: described };
}

const countGraphs = ({ graphs }: Template): number => Object.keys(graphs).length;

function hasTensors(graph: GraphNames, { inputs, outputs }: GraphSpec): boolean {
  const nothingElse = graph.inputs.every((name) => inputs.some((input) => input.name === name));
  return nothingElse && hasAll(graph.inputs, inputs) && hasAll(graph.outputs, outputs);
}

/** True if the file contradicts no size that a template fixes. */
function haveSizes(graphs: Template["graphs"], found: readonly GraphNames[]): boolean {
  return Object.values(graphs).every((spec) => {
    const shapes = found.find(({ file }) => file === spec.file)?.shapes;
    return [...spec.inputs, ...spec.outputs].every(({ name, shape }) =>
      sameShape(shapes?.get(name) ?? shape, shape),
    );
  });
}

function hasAll(names: readonly string[], specs: GraphSpec["inputs"]): boolean {
  return specs.every(({ name }) => names.includes(name));
}

/** The template with other file names; a file of weights is named after its graph. */
function withFiles(template: Template, names: ReadonlyMap<string, string>): Template {
  const graphs = Object.entries(template.graphs).map(
    ([key, spec]) => [key, { ...spec, file: names.get(spec.file) ?? spec.file }] as const,
  );
  const files = template.files.map((file) => {
    const graph = [...names.keys()].find((name) => file.name === name || file.name.startsWith(`${name}.`));
    if (graph === undefined) return file;
    return { ...file, name: `${names.get(graph) ?? graph}${file.name.slice(graph.length)}` };
  });
  return { ...template, graphs: Object.fromEntries(graphs), files };
}

export interface GraphSignature extends GraphNames {
  /** ONNX Runtime's name for each tensor's element type, by tensor name. */
  readonly types: ReadonlyMap<string, string>;
}

/**
 * Opens a graph on the CPU, without optimization, and reads the names and types of its tensors.
 * @throws ModelFolderError if ONNX Runtime can't open the file
 */
export async function readSignature(folder: string, file: string): Promise<GraphSignature> {
  const session = await InferenceSession.create(join(folder, file), {
    graphOptimizationLevel: "disabled",
  }).catch((error: unknown) => {
    const reason = messageOf(error);
    throw new ModelFolderError(`The graph ${file} in ${folder} can't be opened: ${reason}`);
  });
  const tensors = [...session.inputMetadata, ...session.outputMetadata];
  const known = tensors.filter((tensor) => tensor.isTensor);
  const signature = {
    file,
    inputs: session.inputNames,
    outputs: session.outputNames,
    types: new Map<string, string>(known.map(({ name, type }) => [name, type])),
    shapes: new Map(known.map(({ name, shape }) => [name, shape])),
  };
  await session.release();
  return signature;
}
