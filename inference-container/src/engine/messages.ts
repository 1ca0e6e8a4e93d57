/** What crosses the process boundary between the service and its engine: small JSON only; pictures lie in files. */
import { z } from "zod";
import { MaskOutput, OutputFile, OutputName, TaskProblem } from "../../../src/inference/protocol.ts";

/** One picture's work. */
export const EngineJob = z.object({
  id: z.string(),
  inputPath: z.string(),
  /** SHA-256 of the input, hex. */
  contentHash: z.string(),
  inputPixels: z.number(),
  maxMasks: z.number(),
  prompts: z.array(z.string()),
  threshold: z.number(),
  maskThreshold: z.number(),
  generatePreview: z.boolean(),
  /** Where the outputs are written. */
  folder: z.string(),
});
export type EngineJob = z.infer<typeof EngineJob>;

/** A written output: what the protocol says of it, and where it lies. */
export const WrittenFile = z.object({ ...OutputFile.shape, path: z.string() });
export type WrittenFile = z.infer<typeof WrittenFile>;

export const EngineResult = z.object({
  width: z.number(),
  height: z.number(),
  files: z.array(WrittenFile),
  masks: z.array(MaskOutput),
  preview: OutputName.nullable(),
  notice: TaskProblem.nullable(),
  /** Milliseconds a stage. */
  ms: z.object({ decode: z.number(), infer: z.number(), post: z.number(), encode: z.number() }),
  /** Milliseconds inside the model's own graphs. */
  modelMs: z.number(),
  featuresCached: z.boolean(),
});
export type EngineResult = z.infer<typeof EngineResult>;

export const ModelInfo = z.object({ id: z.string(), version: z.string(), provider: z.string() });
export type ModelInfo = z.infer<typeof ModelInfo>;

export const EngineConfig = z.object({
  /** URL of the module that exports `loadModel`. */
  loader: z.string(),
  modelFolder: z.string(),
  options: z.object({
    provider: z.enum(["cpu", "cuda"]),
    threads: z.number(),
    featureCacheBytes: z.number(),
    textCacheBytes: z.number(),
  }),
});
export type EngineConfig = z.infer<typeof EngineConfig>;

export const ToEngine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("run"), job: EngineJob }),
  z.object({ type: z.literal("drop"), id: z.string() }),
  z.object({ type: z.literal("close") }),
]);
export type ToEngine = z.infer<typeof ToEngine>;

export const FromEngine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), model: ModelInfo }),
  /** The model could not be loaded: starting again changes nothing. */
  z.object({ type: z.literal("unloadable"), message: z.string() }),
  /** The job that the model works on from now: it answers for a crash or a hang. */
  z.object({ type: z.literal("inside"), id: z.string() }),
  z.object({ type: z.literal("done"), id: z.string(), result: EngineResult }),
  z.object({
    type: z.literal("failed"),
    id: z.string(),
    problem: TaskProblem,
    retryable: z.boolean(),
    /** For the log: what was thrown, where it was not foreseen. */
    detail: z.string().optional(),
  }),
]);
export type FromEngine = z.infer<typeof FromEngine>;
