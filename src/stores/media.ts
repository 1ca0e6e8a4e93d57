import { AwsClient } from "aws4fetch";
import type { StoredUpload } from "../core/admission.ts";
import type { BucketSettings } from "../settings.ts";

/** A signed PUT: the headers are part of the signature and must be sent as they are. */
export interface SignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const LIST_PAGE = 1_000;

/** The bucket: signed URLs for clients and the inference service, the binding for the Worker. */
export class Media {
  readonly bucketName: string;
  readonly #bucket: R2Bucket;
  readonly #base: string;
  readonly #signer: AwsClient;

  constructor(binding: R2Bucket, { endpoint, name, accessKeyId, secretAccessKey }: BucketSettings) {
    this.bucketName = name;
    this.#bucket = binding;
    this.#base = `${endpoint}/${name}`;
    this.#signer = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region: "auto" });
  }

  async #sign(
    method: string,
    key: string,
    seconds: number,
    headers: Record<string, string>,
  ): Promise<string> {
    const url = new URL(`${this.#base}/${key}`);
    url.searchParams.set("X-Amz-Expires", String(seconds));
    // Without allHeaders aws4fetch leaves Content-Type and Content-Length out of the signature.
    const signed = await this.#signer.sign(url, {
      method,
      headers,
      aws: { signQuery: true, allHeaders: true },
    });
    return signed.url;
  }

  /** The URL for a GET of one object; it lives for `seconds`. */
  async signGet(key: string, seconds: number): Promise<string> {
    return this.#sign("GET", key, seconds, {});
  }

  /** The URL for a PUT of one object of this content type; it lives for `seconds`. */
  async signUpload(key: string, contentType: string, seconds: number): Promise<string> {
    return this.#sign("PUT", key, seconds, { "content-type": contentType });
  }

  /** A PUT of exactly these bytes: content type, size and MD5 (base64) are signed. */
  async signOutput(
    key: string,
    file: { contentType: string; size: number; md5: string },
    seconds: number,
  ): Promise<SignedPut> {
    const headers = { "content-type": file.contentType, "content-md5": file.md5 };
    const url = await this.#sign("PUT", key, seconds, { ...headers, "content-length": String(file.size) });
    return { url, headers };
  }

  /** An object's size and first bytes; null if there is no object. */
  async head(key: string, bytes: number): Promise<StoredUpload | null> {
    const known = await this.#bucket.head(key);
    // Nobody can satisfy a range of an empty object.
    if (known === null || known.size === 0) return known && { size: 0, head: new Uint8Array() };
    const object = await this.#bucket.get(key, { range: { offset: 0, length: bytes } });
    return object && { size: object.size, head: await object.bytes() };
  }

  /** An object's bytes as a stream; null if there is no object. */
  async read(key: string): Promise<ReadableStream<Uint8Array> | null> {
    return (await this.#bucket.get(key))?.body ?? null;
  }

  /** Writes a small object whole. */
  async write(key: string, bytes: Uint8Array, metadata: R2HTTPMetadata): Promise<void> {
    await this.#bucket.put(key, bytes, { httpMetadata: metadata });
  }

  /** Begins an object that is written in parts. All but the last have the same size, at least 5 MiB. */
  async writeInParts(key: string, metadata: R2HTTPMetadata): Promise<R2MultipartUpload> {
    return this.#bucket.createMultipartUpload(key, { httpMetadata: metadata });
  }

  /** Deletes objects; a missing one is not an error. */
  async delete(keys: readonly string[]): Promise<void> {
    for (let i = 0; i < keys.length; i += LIST_PAGE) await this.#bucket.delete(keys.slice(i, i + LIST_PAGE));
  }

  /** Deletes every object under a prefix. */
  async deletePrefix(prefix: string): Promise<void> {
    for (;;) {
      const page = await this.#bucket.list({ prefix, limit: LIST_PAGE });
      await this.delete(page.objects.map((object) => object.key));
      if (!page.truncated) return;
    }
  }
}
