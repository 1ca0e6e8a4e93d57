import type { Context } from "hono";
import type { Once } from "../shared/api/idempotency.ts";
import { ServiceError } from "../shared/errors.ts";
import { BASE64_PLACEHOLDER, SegmentRequest } from "../segment/contract/segment.ts";
import { SEGMENT_OPERATIONS } from "../segment/contract/operations.ts";
import type { Requester } from "../segment/operations/requester.ts";
import { segment, isRepetition, type Picture, type Sought } from "../segment/operations/segment.ts";
import { forgetUpload } from "../uploads/operations/store-file.ts";
import { newUploadOf } from "../uploads/operations/uploads.ts";
import { PART_BYTES } from "../uploads/rules/parts.ts";
import { BodyChunks } from "./body-chunks.ts";
import { holdingMemory } from "./bounded-body.ts";
import type { AppEnv } from "./context.ts";
import { FormFile } from "./form-file.ts";
import { pictureIn } from "./inline-picture.ts";
import { type LargeBody, refuseWithoutAccess, withLargeBody } from "./large-body.ts";
import { boundaryOf, MultipartReader } from "./multipart.ts";
import { refuseEncoded, refuseOtherType, validBody } from "./read-request.ts";
import { SegmentFields } from "./segment-fields.ts";
import type { StrictJson } from "./strict-json.ts";

/** A job of a request, and the fields that decide about its answer. */
export interface Begun extends Once<{ readonly jobId: string }> {
  readonly sought: Sought;
}

const BASE64 = "image/base64";
const QUOTE = 0x22;
/** JSON whose picture in base64 is read apart. */
export const JSON_BODY: LargeBody = {
  mostBytes: SEGMENT_OPERATIONS.segment.maxBodyBytes,
  mostKept: 256 * 1_024,
  isSetAside: (path, first) => first === QUOTE && path.join("/") === BASE64,
};

/**
 * Reads a request of segment, a form or JSON, and creates its job. Checks the account's access before reading.
 * @throws ServiceError of the body; as segment.
 */
export async function beginFromRequest(c: Context<AppEnv>, client: Requester): Promise<Begun> {
  refuseWithoutAccess(client);
  const boundary = boundaryOf(c.req.header("content-type"));
  if (boundary === null) {
    refuseOtherType(c);
    return withLargeBody(c, client, JSON_BODY, (body) => beginFromJson(client, body));
  }
  const { picture, sought } = await readForm(c, client, boundary);
  return { ...(await segment(client, picture, sought)), sought };
}

async function beginFromJson(client: Requester, { value, aside: [inline] }: StrictJson): Promise<Begun> {
  if (inline !== undefined) setBase64(value);
  const { image, ...sought } = validBody(SegmentRequest, value);
  let picture: Picture | null = "base64" in image ? null : image;
  if (inline !== undefined) {
    const bytes = pictureIn(inline.bytes);
    picture = bytes !== null && bytes.length > 0 ? { bytes } : null;
  }
  if (picture === null)
    throw new ServiceError("invalid_request", "image.base64: is empty. Send the file's bytes in base64.");
  return { ...(await segment(client, picture, sought)), sought };
}

/** Puts a short picture in the place of the real one. */
function setBase64(value: unknown): void {
  const image: unknown = Reflect.get(Object(value), "image");
  if (typeof image === "object" && image !== null) Reflect.set(image, "base64", BASE64_PLACEHOLDER);
}

/** A form's fields, and its picture, which is stored. */
interface StoredForm {
  readonly picture: FormPicture;
  readonly sought: Sought;
}

type FormPicture = Extract<Picture, { sha256: string }>;

/**
 * Reads a form and stores its picture as it arrives. Keeps only a part of the picture in memory.
 * @throws ServiceError of the body; as newUploadOf.
 */
export async function readForm(c: Context<AppEnv>, client: Requester, boundary: string): Promise<StoredForm> {
  refuseEncoded(c.req.header("content-encoding"));
  const { MAX_IMAGE_BYTES, MAX_BODY_BYTES } = client.platform.settings;
  const chunks = new BodyChunks(c, MAX_IMAGE_BYTES + MAX_BODY_BYTES);
  const form = new MultipartReader(() => chunks.next(), boundary);
  const held = Math.min(PART_BYTES, chunks.mostBytes);
  try {
    return await holdingMemory(c, client.account.accountId, held, () =>
      readParts(client, form, chunks.mostBytes),
    );
  } finally {
    chunks.close();
  }
}

/**
 * Reads the fields, among which the picture may be anywhere. Stores no picture of a repetition, and forgets the picture of a form
 * that is refused.
 */
async function readParts(client: Requester, form: MultipartReader, mostBytes: number): Promise<StoredForm> {
  const { platform, account } = client;
  const isRepeated = await isRepetition(client);
  const fields = new SegmentFields(platform.settings.MAX_BODY_BYTES);
  let stored: FormPicture["stored"] = null;
  let sha256: string | null = null;
  try {
    for (let part = await form.part(); part !== null; part = await form.part()) {
      if (part.name !== "image") {
        await fields.add(part);
        continue;
      }
      if (sha256 !== null) throw new ServiceError("invalid_request", "image: appears more than once.");
      const file = new FormFile(part, mostBytes);
      if (!isRepeated) stored = await newUploadOf(platform, account, file, (store) => store());
      sha256 = await file.sha256();
    }
    const sought = fields.sought();
    if (sha256 === null)
      throw new ServiceError("invalid_request", "image: is missing. Send the picture's file.");
    return { picture: { stored, sha256 }, sought };
  } catch (error) {
    if (stored !== null) await forgetUpload(platform, account.accountId, stored.taskId, stored.size);
    throw error;
  }
}
