import type { AwsClient } from "aws4fetch";
import { SegmentationError } from "../../errors.ts";
import { Exchange } from "../../http/exchange.ts";
import { persist } from "../../http/retry.ts";
import { storageRefusal } from "../../http/refusal.ts";
import { LONG_WORK } from "../account/client.ts";
import { usageFailure } from "../failure.ts";
import { type BucketAccess, bucketAccess } from "./credentials.ts";

/** The life of a signed URL for the service, in seconds. */
const SIGNED_FOR = 3_600;
const PATIENCE = { maxRetries: LONG_WORK, retryDelayMs: 500 };
const TIMEOUT_MS = 60_000;

/** A bucket and a prefix of its keys. */
export interface Place {
  readonly bucket: string;
  readonly prefix: string;
}

export const isBucketUrl = (text: string): boolean => text.startsWith("s3://");

/** The parts of `s3://bucket/prefix`. @throws Failure with exit code 2 */
export function placeOf(text: string): Place {
  const [, bucket, prefix = ""] = /^s3:\/\/([a-z0-9][a-z0-9._-]+)(?:\/(.*))?$/s.exec(text) ?? [];
  if (bucket === undefined) throw usageFailure(`${text} names no bucket. Write s3://bucket/folder/`);
  return { bucket, prefix };
}

/** An object in a bucket's list. */
export interface BucketObject {
  readonly key: string;
  /** Changes with its bytes. */
  readonly etag: string;
}

interface Opened {
  readonly access: BucketAccess;
  readonly client: AwsClient;
}

/** Target of a request: an object, or the bucket with a query. */
interface Asked {
  readonly bucket: string;
  readonly key: string;
  readonly query?: URLSearchParams;
}

/** The buckets that the user's own credentials open. Reads the credentials at the first request. */
export class Buckets {
  readonly #open: () => Promise<Opened>;
  #opened: Promise<Opened> | undefined;

  constructor(env: Readonly<Record<string, string | undefined>>, endpointUrl?: string) {
    this.#open = async () => {
      const access = await bucketAccess(env, endpointUrl);
      // Loads the package for users of buckets only.
      const { AwsClient: Client } = await import("aws4fetch");
      return {
        access,
        client: new Client({ ...access, sessionToken: access.sessionToken ?? "", service: "s3" }),
      };
    };
  }

  /** All objects whose keys begin with a prefix, in the order of their keys (ListObjectsV2). */
  async *list({ bucket, prefix }: Place, signal?: AbortSignal): AsyncGenerator<BucketObject> {
    const query = new URLSearchParams({ "list-type": "2", "encoding-type": "url", prefix });
    for (;;) {
      const page = await this.#ask("GET", { bucket, key: "", query }, { signal });
      const isEncoded = element(page, "EncodingType") === "url";
      for (const [, entry = ""] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = element(entry, "Key");
        yield {
          key: isEncoded ? decodeURIComponent(key.replaceAll("+", " ")) : key,
          etag: element(entry, "ETag"),
        };
      }
      const next = element(page, "NextContinuationToken");
      if (element(page, "IsTruncated") !== "true" || next === "") return;
      query.set("continuation-token", next);
    }
  }

  /** A URL that lets its holder fetch an object for an hour. */
  async signedUrl(bucket: string, key: string): Promise<URL> {
    const { client, url } = await this.#urlOf({ bucket, key });
    url.searchParams.set("X-Amz-Expires", String(SIGNED_FOR));
    return new URL((await client.sign(url.href, { method: "GET", aws: { signQuery: true } })).url);
  }

  /** Writes an object and replaces an existing one. */
  async put(bucket: string, key: string, content: Blob, signal: AbortSignal): Promise<void> {
    const body = new Uint8Array(await content.arrayBuffer());
    await this.#ask("PUT", { bucket, key }, { body, signal, contentType: content.type });
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.#ask("DELETE", { bucket, key }, {});
  }

  async #urlOf({ bucket, key, query }: Asked) {
    const { access, client } = await (this.#opened ??= this.#open());
    const { endpoint, region } = access;
    // A bucket's name with a dot has no certificate as a host's name.
    const isHost = endpoint === undefined && !bucket.includes(".");
    const base =
      endpoint?.replace(/\/$/, "") ?? `https://${isHost ? `${bucket}.` : ""}s3.${region}.amazonaws.com`;
    const path = [...(isHost ? [] : [bucket]), ...key.split("/")].map(encode).join("/");
    const url = new URL(`${base}/${path}`);
    for (const [name, value] of query ?? []) url.searchParams.set(name, value);
    return { client, url };
  }

  async #ask(
    method: string,
    at: Asked,
    {
      signal,
      body,
      contentType,
    }: {
      readonly signal?: AbortSignal | undefined;
      readonly body?: Uint8Array<ArrayBuffer>;
      readonly contentType?: string;
    },
  ): Promise<string> {
    const { client, url } = await this.#urlOf(at);
    return await persist(PATIENCE, { signal }, async () => {
      const headers = contentType ? { "content-type": contentType } : {};
      const request = await client.sign(url.href, { method, headers, ...(body && { body }) });
      const exchange = new Exchange(TIMEOUT_MS, signal);
      try {
        const response = await exchange.within(fetch(request, { signal: exchange.signal }));
        if (!response.ok) throw await exchange.within(storageRefusal(response));
        return await exchange.within(response.text());
      } catch (error) {
        if (!(error instanceof SegmentationError)) throw error;
        const { code, message, ...details } = error;
        throw new SegmentationError(
          code,
          `${method} s3://${at.bucket}/${at.key} at ${url.host}: ${message}`,
          details,
        );
      } finally {
        exchange.close();
      }
    });
  }
}

/** Encodes a part of a path for S3's signatures (RFC 3986). */
const encode = (part: string): string =>
  encodeURIComponent(part).replaceAll(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#34": '"',
};

/** The text of the first element of a name, empty if there is none. */
const element = (xml: string, name: string): string =>
  (new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml)?.[1] ?? "").replaceAll(
    /&(\w+|#34);/g,
    (whole, entity: string) => ENTITIES[entity] ?? whole,
  );
