import { z } from "zod";

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
  /** The kinds of regions that it draws in a picture; `clips` is true if it follows their objects through a clip. */
  regions: z.object({ box: z.boolean(), points: z.boolean(), clips: z.boolean().default(false) }),
  /** The additional formats in which it writes a result. */
  formats: z.array(z.string()),
  capabilities: z.object({ types: z.array(z.enum(["image", "video"])), preview: z.boolean() }),
});
export type ModelDescription = z.infer<typeof ModelDescription>;
