/** What the manifest of a `kserve` model adds to the shared part: which server has the model, and what it may be sent and send. */
import { z } from "zod";
import { Manifest, requireListed, Share } from "../manifest.ts";

const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "a plain name");

/** Where the model is. Nothing but this origin is ever asked. */
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
  /** A larger picture is shrunk, in proportion, before it is sent. */
  image: z.strictObject({ maxPixels: z.int().min(10_000).max(50_000_000) }),
  objects: z.strictObject({
    /** The most objects of a picture: an answer with more is refused, unread where its length says so. */
    most: z.int().min(1).max(2_000),
    /** Objects below this score never stand alone, whatever the request's threshold. */
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
