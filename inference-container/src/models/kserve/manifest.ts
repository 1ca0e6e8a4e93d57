/** Fields of a `kserve` model's manifest, besides the shared part: its server, and limits of requests and answers. */
import { z } from "zod";
import { Manifest, requireListed, Share } from "../manifest.ts";

const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "a plain name");

/** The model's address. The service asks no other origin. */
const Server = z.strictObject({
  /** Scheme, host and port. */
  origin: z.string().refine(isHttpOrigin, "an origin: scheme, host and port only, like http://triton:8000"),
  model: Name,
  /** Without it the server chooses. */
  version: Name.optional(),
  /** Requests that the server works on or queues at once; further ones wait here. */
  concurrency: z.int().min(1).max(64),
});
export type Server = z.infer<typeof Server>;

export const KserveManifest = Manifest.extend({
  family: z.literal("kserve"),
  server: Server,
  /** The service shrinks a larger picture, in proportion, before it sends it. */
  image: z.strictObject({ maxPixels: z.int().min(10_000).max(50_000_000) }),
  objects: z.strictObject({
    /** The most objects of a picture. The service refuses an answer with more, unread if its length shows it. */
    most: z.int().min(1).max(2_000),
    /** The least score of a result, at any threshold. */
    floor: Share,
    /** Objects between this score and `floor` may only continue a track. */
    faintFloor: Share,
  }),
})
  .strict()
  .superRefine(({ files, golden }, context) => requireListed(files, [golden.picture], context));
export type KserveManifest = z.infer<typeof KserveManifest>;

function isHttpOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  return origin === text && (protocol === "http:" || protocol === "https:");
}
