import { z } from "zod";

/** The decoder of a model that returns embeddings: a file with which masks are drawn elsewhere. */
export const DecoderFile = z.object({
  /** Hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type DecoderFile = z.infer<typeof DecoderFile>;

/** Asks the service to put its decoder's file at a signed URL. The PUT must send `headers` unchanged. */
export const DecoderRequest = z.strictObject({
  sha256: DecoderFile.shape.sha256,
  url: z.url(),
  headers: z.record(z.string(), z.string()),
});
export type DecoderRequest = z.infer<typeof DecoderRequest>;

/** The loaded model of a service, and its abilities: the answer of GET /v1/model. */
export const ModelDescription = z.object({
  /** The service's version of the protocol, `PROTOCOL`. */
  protocol: z.int(),
  id: z.string(),
  version: z.string(),
  /** The family whose adapter runs it. */
  family: z.string(),
  /** ONNX Runtime's name of the execution provider in use; "kserve" for a model on a server. */
  provider: z.string(),
  /** The labels that it knows, if it finds nothing else; "open" if it looks for any phrase. */
  vocabulary: z.union([z.literal("open"), z.array(z.string())]),
  /** True if it heeds attributes of a noun, as "red" in "red car". */
  attributes: z.boolean(),
  /**
   * The kinds of regions that it draws in a picture; `clips` is true if it tracks their objects through a video,
   * `examples` if it finds all objects like that of a region.
   */
  regions: z.object({
    box: z.boolean(),
    points: z.boolean(),
    clips: z.boolean().default(false),
    examples: z.boolean().default(false),
  }),
  /** The additional formats in which it writes a result. */
  formats: z.array(z.string()),
  /** Absent if the model returns no embeddings. */
  decoder: DecoderFile.optional(),
  capabilities: z.object({ types: z.array(z.enum(["image", "video"])), preview: z.boolean() }),
});
export type ModelDescription = z.infer<typeof ModelDescription>;
