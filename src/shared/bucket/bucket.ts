import { AwsClient } from "aws4fetch";
import { keyInUrl, presigner, type Presigner, type SigningBucket } from "./presigned-url.ts";
import { SNIFF_BYTES, sniffMedia, type StoredUpload } from "./media-type.ts";
import type { BucketSettings } from "../../feature-settings.ts";

/** A signed PUT: the headers are part of the signature and must be sent unchanged. */
interface SignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs the PUT of one output of exactly these bytes. */
export type OutputSigner = (
  key: string,
  file: { contentType: string; size: number; md5: string },
) => Promise<SignedPut>;

const LIST_PAGE = 1_000;
/** R2's codes for an upload that does not exist, and for a part that is missing or has another ETag, in its errors' messages. */
const NO_SUCH_UPLOAD = "(10024)";
const INVALID_PART = "(10025)";

/** The bucket: signed URLs for clients and the inference service, the binding for the Worker. */
export class Media {
  readonly bucketName: string;
  readonly #bucket: R2Bucket;
  readonly #signing: SigningBucket;
  readonly #signer: AwsClient;

  constructor(binding: R2Bucket, { endpoint, name, accessKeyId, secretAccessKey }: BucketSettings) {
    this.bucketName = name;
    this.#bucket = binding;
    this.#signing = { url: `${endpoint}/${name}`, accessKeyId, secretAccessKey };
    this.#signer = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region: "auto" });
  }

  async #sign(
    method: string,
    key: string,
    seconds: number,
    headers: Record<string, string>,
    query: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const url = new URL(`${this.#signing.url}/${keyInUrl(key)}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    url.searchParams.set("X-Amz-Expires", String(seconds));
    // Without allHeaders aws4fetch leaves Content-Type and Content-Length out of the signature.
    const aws = { signQuery: true, allHeaders: true };
    return (await this.#signer.sign(url, { method, headers, aws })).url;
  }

  /** The URL for a GET of one object; it is valid for `seconds`. */
  signGet(key: string, seconds: number): Promise<string> {
    return this.#sign("GET", key, seconds, {});
  }

  /** The URL for a PUT of one object of this content type, and of this size unless that is null; it is valid for `seconds`. */
  signUpload(
    key: string,
    { contentType, size }: { readonly contentType: string; readonly size: number | null },
    seconds: number,
  ): Promise<string> {
    return this.#sign("PUT", key, seconds, {
      "content-type": contentType,
      ...(size !== null && { "content-length": String(size) }),
    });
  }

  /** The URL for a PUT of one part (numbers from 1), of exactly this size; it is valid for `seconds`. */
  signPart(
    key: string,
    { uploadId, partNumber, size }: { uploadId: string; partNumber: number; size: number },
    seconds: number,
  ): Promise<string> {
    const query = { partNumber: String(partNumber), uploadId };
    return this.#sign("PUT", key, seconds, { "content-length": String(size) }, query);
  }

  /** Signs GETs of many objects, valid for `seconds` from now. */
  async signGets(seconds: number): Promise<Presigner> {
    return presigner(this.#signing, { method: "GET", seconds, now: Date.now() });
  }

  /** Signs PUTs of many outputs, valid for `seconds` from now: content type, size and MD5 (base64) are signed. */
  async signOutputs(seconds: number): Promise<OutputSigner> {
    const names = ["content-length", "content-md5", "content-type"];
    const access = { method: "PUT", seconds, now: Date.now(), headers: names } as const;
    const signer = await presigner(this.#signing, access);
    return async (key, { contentType, size, md5 }) => {
      const headers = { "content-type": contentType, "content-md5": md5 };
      const signature = await signer.signature(key, { ...headers, "content-length": String(size) });
      return { url: signer.url(key, signature), headers };
    };
  }

  /** The size, ETag and media type of one version of an object, in one round trip; null if there is no object. */
  async peek(key: string): Promise<StoredUpload | null> {
    try {
      const object = await this.#bucket.get(key, { range: { offset: 0, length: SNIFF_BYTES } });
      if (object === null) return null;
      return { size: object.size, etag: object.httpEtag, media: sniffMedia(await object.bytes()) };
    } catch (error) {
      // A range of an empty object cannot be satisfied.
      const known = await this.#bucket.head(key);
      if (known !== null && known.size > 0) throw error;
      return known && { size: 0, etag: known.httpEtag, media: null };
    }
  }

  /** Returns true if there is an object with this key. */
  async has(key: string): Promise<boolean> {
    return (await this.#bucket.head(key)) !== null;
  }

  /** An object's bytes as a stream; null if there is no object. */
  async read(key: string): Promise<ReadableStream<Uint8Array> | null> {
    return (await this.#bucket.get(key))?.body ?? null;
  }

  /** Writes a small object whole. */
  async write(key: string, bytes: Uint8Array, metadata: R2HTTPMetadata): Promise<void> {
    await this.#bucket.put(key, bytes, { httpMetadata: metadata });
  }

  /** Writes a stream of known length (a FixedLengthStream's) as an object, which exists only if the stream has that length. */
  async writeStream(key: string, stream: ReadableStream, metadata: R2HTTPMetadata): Promise<void> {
    await this.#bucket.put(key, stream, { httpMetadata: metadata });
  }

  /** Writes a string whole, if it arrives with this SHA-256 (hex). */
  async writeText(key: string, text: string, sha256: string, contentType: string): Promise<void> {
    await this.#bucket.put(key, text, { httpMetadata: { contentType }, sha256 });
  }

  /**
   * The bytes of an object of at most `mostBytes`; "larger" for a larger one, which is not read; null if there is
   * no object.
   */
  async readSmall(key: string, mostBytes: number): Promise<Uint8Array | "larger" | null> {
    const object = await this.#bucket.get(key);
    if (object === null || object.size <= mostBytes) return object && object.bytes();
    await object.body.cancel();
    return "larger";
  }

  /**
   * Begins a multipart upload, and returns its id. All parts but the last have the same size, at
   * least 5 MiB. R2 aborts an upload that is not completed within seven days.
   */
  async beginParts(key: string, metadata: R2HTTPMetadata): Promise<string> {
    return (await this.#bucket.createMultipartUpload(key, { httpMetadata: metadata })).uploadId;
  }

  /** Writes a part (numbers from 1), or overwrites it, and returns its ETag. */
  async writePart(key: string, uploadId: string, partNumber: number, bytes: Uint8Array): Promise<string> {
    const upload = this.#bucket.resumeMultipartUpload(key, uploadId);
    return (await upload.uploadPart(partNumber, bytes)).etag;
  }

  /** Assembles an object from the parts with these ETags. @throws if a part has another one. */
  async completeParts(key: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const parts = etags.map((etag, i) => ({ partNumber: i + 1, etag }));
    await this.#bucket.resumeMultipartUpload(key, uploadId).complete(parts);
  }

  /**
   * Like `completeParts`, for parts that a client has written. Does not change a completed upload.
   * @returns true if the object exists; false if a part is missing or has another ETag
   */
  async completeForeignParts(key: string, uploadId: string, etags: readonly string[]): Promise<boolean> {
    try {
      await this.completeParts(key, uploadId, etags);
      return true;
    } catch (error) {
      if (String(error).includes(INVALID_PART)) return false;
      if (!String(error).includes(NO_SUCH_UPLOAD)) throw error;
      return (await this.#bucket.head(key)) !== null;
    }
  }

  /** Aborts an upload: none of its parts remains. An upload that no longer exists is not an error. */
  async abortParts(key: string, uploadId: string): Promise<void> {
    try {
      await this.#bucket.resumeMultipartUpload(key, uploadId).abort();
    } catch (error) {
      if (!String(error).includes(NO_SUCH_UPLOAD)) throw error;
    }
  }

  /** Deletes objects; a missing one is not an error. */
  async delete(keys: readonly string[]): Promise<void> {
    for (let i = 0; i < keys.length; i += LIST_PAGE) await this.#bucket.delete(keys.slice(i, i + LIST_PAGE));
  }

  /**
   * Deletes every object under a prefix, a thousand at a time, until none is left or the time is `until` (epoch ms), but at least
   * a thousand. Returns the number deleted, and true for `isEmpty` if none is left.
   */
  async deletePrefix(prefix: string, until = Infinity): Promise<{ deleted: number; isEmpty: boolean }> {
    let deleted = 0;
    for (;;) {
      const { objects, truncated } = await this.#bucket.list({ prefix, limit: LIST_PAGE });
      await this.delete(objects.map((object) => object.key));
      deleted += objects.length;
      if (!truncated) return { deleted, isEmpty: true };
      if (Date.now() >= until) return { deleted, isEmpty: false };
    }
  }
}
