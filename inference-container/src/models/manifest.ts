/** `manifest.json`, the description that makes a folder a model: the part that all families share. */
import { z } from "zod";
import { Dtype } from "../device/values.ts";

export const FileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "a plain file name");

export const Share = z.number().min(0).max(1);

/** Origin of a downloaded file: a file of a repository on a hub, in one commit. */
export const HubFile = z.strictObject({
  repository: z.string().regex(/^\w[\w.-]*\/\w[\w.-]*$/, "a repository, like owner/name"),
  commit: z.string().regex(/^[0-9a-f]{40}$/, "a commit's 40 hexadecimal digits"),
  path: z.string().regex(/^(?:\w[\w.-]*\/)*\w[\w.-]*$/, "a path in a repository"),
});
export type HubFile = z.infer<typeof HubFile>;

/** A file of the folder; `role` is its purpose ("graph", "tokenizer", "license", …). */
const ManifestFile = z.strictObject({
  name: FileName,
  role: z.string().min(1),
  size: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Origin of the file, written by `npm run models -- install`. */
  source: HubFile.optional(),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

/** A tensor of a graph: `role` is the adapter's name for it, `name` the file's; a named dimension may have any size. */
const TensorSpec = z.strictObject({
  role: z.string().min(1),
  name: z.string().min(1),
  dtype: Dtype,
  shape: z.array(z.union([z.int().positive(), z.string().min(1)])),
});
export type TensorSpec = z.infer<typeof TensorSpec>;

export const GraphSpec = z.strictObject({
  file: FileName,
  inputs: z.array(TensorSpec).min(1),
  outputs: z.array(TensorSpec).min(1),
});
export type GraphSpec = z.infer<typeof GraphSpec>;

/** Conversion of a picture to a tensor: resized by `fit`, then (byte − mean) / std per channel. */
export const ImageInput = z
  .strictObject({
    width: z.int().positive(),
    height: z.int().positive(),
    /**
     * `stretch` ignores the aspect ratio; `letterbox` keeps it: the picture in the top left corner, `padding`
     * elsewhere. `square` pads the picture with black before it is resized, as OWLv2's processor does, and ignores
     * `kernel`.
     */
    fit: z.enum(["stretch", "letterbox", "square"]),
    /**
     * The filter: `linear` and `cubic` are the bilinear and the bicubic filter of PIL and torchvision. `lanczos3`
     * shrinks sides; enlarged sides are interpolated bilinearly. `unfiltered` interpolates four neighbors, also where
     * it shrinks, as torchvision does without antialiasing.
     */
    kernel: z.enum(["lanczos3", "linear", "cubic", "unfiltered"]).default("lanczos3"),
    /** The byte of the letterbox's bars before normalization, as in the model's training; 0 is black. */
    padding: z.int().min(0).max(255).default(0),
    mean: z.tuple([z.number(), z.number(), z.number()]),
    std: z.tuple([z.number().positive(), z.number().positive(), z.number().positive()]),
  })
  .refine(
    ({ fit, width, height }) => fit !== "square" || width === height,
    "a square input for the fit square",
  );
export type ImageInput = z.infer<typeof ImageInput>;

/** A picture in the folder, and the objects that the model must find in it before it may serve. */
export const Golden = z.strictObject({
  picture: FileName,
  prompt: z.string().min(1),
  /** The request's threshold. */
  threshold: Share,
  instances: z.array(
    z.strictObject({
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
      score: Share,
      /** Share of the picture that the mask covers. */
      area: Share,
    }),
  ),
  tolerance: z.strictObject({
    boxIou: Share,
    score: z.number().positive(),
    area: z.number().positive(),
  }),
});
export type Golden = z.infer<typeof Golden>;

/** Reports each name that a manifest uses but does not list among its files. */
export function requireListed(
  files: readonly ManifestFile[],
  names: readonly string[],
  context: z.RefinementCtx,
): void {
  for (const name of names)
    if (!files.some((file) => file.name === name)) context.addIssue(`${name} is not listed in files`);
}

/** The shared fields of the manifests whose families run graphs on words. */
interface UsedFiles extends Pick<Manifest, "files" | "golden"> {
  readonly graphs: Readonly<Record<string, GraphSpec>>;
  readonly text: { readonly tokenizer: string };
}

/** Reports each graph, the tokenizer and the golden picture if it is not listed. */
export function requireUsed({ files, graphs, text, golden }: UsedFiles, context: z.RefinementCtx): void {
  const names = [...Object.values(graphs).map(({ file }) => file), text.tokenizer, golden.picture];
  requireListed(files, names, context);
}

export const Manifest = z.object({
  schema: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  family: z.string().min(1),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: z.string().min(1),
  capabilities: z.strictObject({
    media: z.array(z.enum(["image"])).min(1),
    prompts: z.enum(["closed-vocabulary", "open-vocabulary"]),
  }),
  licences: z
    .array(
      z.strictObject({
        part: z.string().min(1),
        source: z.string().min(1),
        code: z.string().min(1),
        weights: z.string().min(1),
      }),
    )
    .min(1),
  files: z.array(ManifestFile).min(1),
  golden: Golden,
});
export type Manifest = z.infer<typeof Manifest>;
