import { z } from "zod";

/** The model that a service has loaded, and what it can: the answer of GET /v1/model. */
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
  /** Whether it heeds what a phrase says of its noun, as "red" in "red car". */
  attributes: z.boolean(),
  /** Whether it draws what is pointed at in a picture, by each kind of region, and whether it follows that through a clip. */
  regions: z.object({ box: z.boolean(), points: z.boolean(), clips: z.boolean().default(false) }),
  /** The formats in which it writes a result as well. */
  formats: z.array(z.string()),
  capabilities: z.object({ types: z.array(z.enum(["image", "video"])), preview: z.boolean() }),
});
export type ModelDescription = z.infer<typeof ModelDescription>;
