/** The messages between the service and its engine process: small JSON only; pictures are in files. */
import { z } from "zod";
import { PROVIDERS } from "./device/messages.ts";
import { type Stage, STAGES } from "./device/usage.ts";
import {
  DecoderFile,
  ImageWork,
  MaskOutput,
  ModelDescription,
  OutputFile,
  Problem,
  VideoWork,
} from "@segmentation/protocol";

/** Paths of the task's input and of its outputs. */
const files = {
  inputPath: z.string(),
  /** The folder for outputs. */
  folder: z.string(),
};

/** One picture to segment. An engine reads strangers' files: it gets neither URLs nor tokens. */
export const ImageTask = ImageWork.extend({
  ...files,
  /** SHA-256 of the input, hex. */
  contentHash: z.string(),
  /** The masks that regions correct, and their paths; absent if there are none. */
  priors: z.array(z.object({ regionIndex: z.number(), path: z.string() })).optional(),
});
export type ImageTask = z.infer<typeof ImageTask>;

/** One video to segment. */
export const VideoTask = VideoWork.extend(files);
export type VideoTask = z.infer<typeof VideoTask>;

export const EngineTask = z.discriminatedUnion("type", [ImageTask, VideoTask]);
export type EngineTask = z.infer<typeof EngineTask>;

/** A written output: the protocol's facts about it, and its path. */
export const WrittenFile = z.object({ ...OutputFile.shape, path: z.string() });
export type WrittenFile = z.infer<typeof WrittenFile>;

const result = {
  width: z.number(),
  height: z.number(),
  files: z.array(WrittenFile),
  notice: Problem.nullable(),
  /** Milliseconds per stage. */
  ms: z.object({ decode: z.number(), infer: z.number(), post: z.number(), encode: z.number() }),
  /** Milliseconds inside the model's own graphs. */
  modelMs: z.number(),
};

export const ImageResult = z.object({
  ...result,
  type: z.literal("image"),
  masks: z.array(MaskOutput),
  featuresCached: z.boolean(),
});
export type ImageResult = z.infer<typeof ImageResult>;

export const VideoResult = z.object({
  ...result,
  type: z.literal("video"),
  frames: z.number(),
  framesWithMasks: z.number(),
  totalMasks: z.number(),
});
export type VideoResult = z.infer<typeof VideoResult>;

export const EngineResult = z.discriminatedUnion("type", [ImageResult, VideoResult]);
export type EngineResult = z.infer<typeof EngineResult>;

export const ModelInfo = z.object({
  ...ModelDescription.pick({
    id: true,
    version: true,
    family: true,
    provider: true,
    vocabulary: true,
    attributes: true,
    regions: true,
  }).shape,
  /** With its name in the model's folder; absent if the model returns no embeddings. */
  decoder: DecoderFile.extend({ file: z.string() }).optional(),
  /** The reason why it is not the configured provider; absent if it is. */
  fallback: z.string().optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

export const EngineConfig = z.object({
  /** URL of the module that exports `loadModel`. */
  loader: z.string(),
  modelFolder: z.string(),
  /** FFmpeg's command; null if this machine has none and can't process videos. */
  ffmpeg: z.string().nullable(),
  /** True if the CPU may replace a provider that can't be used. */
  cpuFallback: z.boolean(),
  /** The limit of all decoded pictures together, in bytes; a larger picture is processed alone. */
  decodedBytes: z.number(),
  options: z.object({
    provider: z.enum(PROVIDERS),
    /** The GPU's number, from 0; ignored on the CPU. */
    device: z.number(),
    threads: z.number(),
    featureCacheBytes: z.number(),
    textCacheBytes: z.number(),
    requestTimeoutMs: z.number(),
    serverPatienceMs: z.number(),
  }),
});
export type EngineConfig = z.infer<typeof EngineConfig>;

/** Messages from the service to the engine. */
export const ToEngine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("run"), task: EngineTask }),
  z.object({ type: z.literal("drop"), key: z.string() }),
  z.object({ type: z.literal("close") }),
]);
export type ToEngine = z.infer<typeof ToEngine>;

/** Messages from the engine to the service. */
export const FromEngine = z.discriminatedUnion("type", [
  /** The model is warm; `concurrency` is the number of pictures that it works on at once. */
  z.object({ type: z.literal("ready"), model: ModelInfo, concurrency: z.number() }),
  /** The model could not be loaded, and the process ends. */
  z.object({ type: z.literal("unloadable"), message: z.string() }),
  /** The task enters a stage. */
  z.object({ type: z.literal("at"), key: z.string(), stage: z.enum(STAGES) }),
  /** The reason why the model can no longer be used; null if it can. */
  z.object({ type: z.literal("able"), problem: z.string().nullable() }),
  /** The engine's main thread is not blocked. */
  z.object({ type: z.literal("beat") }),
  /** A task's progress in units; a repeated report only shows that the task is alive. */
  z.object({ type: z.literal("progress"), key: z.string(), done: z.number(), total: z.number() }),
  z.object({ type: z.literal("done"), key: z.string(), result: EngineResult }),
  /** The model accepts no work; the service hands the task back. */
  z.object({ type: z.literal("refused"), key: z.string(), reason: z.string() }),
  z.object({
    type: z.literal("failed"),
    key: z.string(),
    problem: Problem,
    /** For the log: the stack of an unexpected error, or FFmpeg's output. */
    detail: z.string().optional(),
  }),
  /** A task failed, and then the golden picture did too: the device does not work. This is the last message. */
  z.object({ type: z.literal("unwell"), key: z.string(), reason: z.string(), detail: z.string().optional() }),
]);
export type FromEngine = z.infer<typeof FromEngine>;

/** A running task's connection to its engine. */
export interface TaskHooks {
  /** Reports the stage that the task enters. */
  at(stage: Stage): void;
  /** Reports the done and total units; a repeated report shows that the task is alive. */
  progress(done: number, total: number): void;
  /** Aborts with a TaskDropped when the task is canceled. */
  readonly signal: AbortSignal;
}
