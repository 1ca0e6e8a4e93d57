/** A bucket's location, and the credentials to sign with. */
export interface SigningBucket {
  /** The bucket's URL, without a slash at its end. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The access that a signer's URLs grant. */
export interface SignedAccess {
  readonly method: "GET" | "PUT";
  /** Their validity from `now`. */
  readonly seconds: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The names of signed headers in addition to the host: lowercase, each once. */
  readonly headers?: readonly string[];
}

/** Signs URLs for many objects of one bucket, all with the same access. */
export interface Presigner {
  /** The signature of a request for an object: 64 hex digits. The values of signed headers have no outer or repeated spaces. */
  signature(key: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** The URL with this signature. */
  url(key: string, signature: string): string;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const encoder = new TextEncoder();

const decoder = new TextDecoder();
const DIGITS = encoder.encode("0123456789abcdef");

/** Returns bytes as hex digits, in one flat string, because a concatenated one takes many times the memory. */
function hex(buffer: ArrayBuffer): string {
  const digits = new Uint8Array(2 * buffer.byteLength);
  let at = 0;
  for (const byte of new Uint8Array(buffer)) {
    digits[at++] = DIGITS[byte >> 4] ?? 0;
    digits[at++] = DIGITS[byte & 15] ?? 0;
  }
  return decoder.decode(digits);
}

/** The platforms' types have different names for these, and the same functions. */
type Bytes = ArrayBuffer | ReturnType<typeof encoder.encode>;
type MacKey = Awaited<ReturnType<typeof macKey>>;

const macKey = (bytes: Bytes) =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

const mac = (key: MacKey, text: string): Promise<ArrayBuffer> =>
  crypto.subtle.sign("HMAC", key, encoder.encode(text));

/** The key for a day's signatures within the scope: a chain of HMACs. */
async function signingKey(secret: string, scope: string): Promise<MacKey> {
  let key = await macKey(encoder.encode(`AWS4${secret}`));
  for (const part of scope.split("/")) key = await macKey(await mac(key, part));
  return key;
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** An object's key, encoded for the end of a URL's path. */
export const keyInUrl = (key: string): string =>
  /^[\w.~/-]*$/.test(key) ? key : key.split("/").map(encoded).join("/");

/**
 * Returns a signer of one access (AWS Signature Version 4 in the query, payload unsigned; region `auto`, as in R2). Computes the
 * common part of the URLs, including the signing key, once: each URL costs one digest and one HMAC.
 */
export async function presigner(bucket: SigningBucket, access: SignedAccess): Promise<Presigner> {
  const { host, href, pathname } = new URL(bucket.url);
  const time = new Date(access.now).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/auto/s3/aws4_request`;
  const names = ["host", ...(access.headers ?? [])].toSorted();
  const parameters = {
    "X-Amz-Expires": String(access.seconds),
    "X-Amz-Date": time,
    "X-Amz-Algorithm": ALGORITHM,
    "X-Amz-Credential": `${bucket.accessKeyId}/${scope}`,
    "X-Amz-SignedHeaders": names.join(";"),
  };
  const query = new URLSearchParams(parameters).toString();
  const canonicalQuery = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .toSorted()
    .join("&");
  const canonicalBegin = `${access.method}\n${keyInUrl(decodeURIComponent(pathname))}/`;
  const canonicalEnd = `\n${names.join(";")}\nUNSIGNED-PAYLOAD`;
  const key = await signingKey(bucket.secretAccessKey, scope);

  return {
    async signature(objectKey, headers = {}) {
      let canonicalHeaders = "";
      for (const name of names)
        canonicalHeaders += `${name}:${name === "host" ? host : (headers[name] ?? "")}\n`;
      const canonical = `${canonicalBegin}${keyInUrl(objectKey)}\n${canonicalQuery}\n${canonicalHeaders}${canonicalEnd}`;
      const digest = await crypto.subtle.digest("SHA-256", encoder.encode(canonical));
      return hex(await mac(key, `${ALGORITHM}\n${time}\n${scope}\n${hex(digest)}`));
    },
    url: (objectKey, signature) => `${href}/${keyInUrl(objectKey)}?${query}&X-Amz-Signature=${signature}`,
  };
}
