import { ServiceError } from "../../shared/errors.ts";
import { publicUrlRefusal, type PublicUrlTerms } from "../../shared/public-url.ts";
import type { ImportPatience } from "../../feature-settings.ts";
import { importFailed, PatientWait } from "./import-patience.ts";

const MOST_REDIRECTS = 2;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  accept: "image/*, video/*, */*;q=0.1",
  "accept-encoding": "identity",
  // Some servers refuse requests without a user agent.
  "user-agent": "segmentation-job-service",
};

/**
 * The number of bytes that a response announces; null if it does not. The runtime decodes a body with a coding, while
 * Content-Length counts the encoded bytes.
 */
function announcedBytes({ headers }: Response): number | null {
  const length = headers.get("content-length") ?? "";
  const coding = headers.get("content-encoding") ?? "identity";
  return /^\d{1,15}$/.test(length) && coding === "identity" ? Number(length) : null;
}

/** The answer to a GET of a URL that the rule allows, after up to two redirects to such URLs. */
async function request(
  first: string,
  terms: PublicUrlTerms,
  wait: PatientWait,
  signal: AbortSignal,
): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const refusal = publicUrlRefusal(url, terms);
    if (refusal !== null) throw refusal;
    const response = await wait.for(
      fetch(url, { redirect: "manual", headers: HEADERS, signal }),
      "The source could not be reached. Check the URL, and try again.",
    );
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    url = URL.parse(location, url)?.href ?? location;
  }
  throw importFailed(`The source redirects more than ${MOST_REDIRECTS} times. Send the final URL.`);
}

/**
 * A file on an external server, read as its bytes arrive. Every method throws import_failed, with the cause and the remedy, if
 * the server fails, is too slow or does not send the announced bytes.
 */
export class ImportSource {
  /** The header Content-Type; null if there is none. */
  readonly contentType: string | null;
  /** The file's size in bytes, if its server announces one; it is enforced. */
  readonly size: number | null;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #wait: PatientWait;
  readonly #abort: AbortController;
  /** Peeked bytes, which the next `read` returns. */
  #seen: Uint8Array[] = [];
  #mostBytes = Infinity;
  #received = 0;

  private constructor(
    response: Response,
    body: ReadableStream<Uint8Array>,
    wait: PatientWait,
    abort: AbortController,
  ) {
    this.contentType = response.headers.get("content-type");
    this.size = announcedBytes(response);
    this.#reader = body.getReader();
    this.#wait = wait;
    this.#abort = abort;
  }

  /**
   * Opens the file at a URL. `client` aborts when the client has disconnected.
   * @throws ServiceError url_forbidden if the rule forbids it, or its redirect
   */
  static async open(
    url: string,
    terms: PublicUrlTerms,
    patience: ImportPatience,
    client: AbortSignal,
  ): Promise<ImportSource> {
    const abort = new AbortController();
    const wait = new PatientWait(patience, client);
    try {
      const response = await request(url, terms, wait, abort.signal);
      if (response.status === 200 && response.body !== null) {
        return new ImportSource(response, response.body, wait, abort);
      }
      await response.body?.cancel();
      throw importFailed(
        `The source answered with status ${response.status}, not with a file. Check that the URL is publicly accessible.`,
      );
    } catch (error) {
      abort.abort();
      throw error;
    }
  }

  /** The number of bytes that have arrived, read or not. */
  get received(): number {
    return this.#received;
  }

  async #receive(): Promise<Uint8Array | null> {
    const { value } = await this.#wait.for(
      this.#reader.read(),
      "The source closed the connection in the middle of the file. Try again, or upload the file.",
    );
    this.#wait.received(value?.length ?? 0);
    this.#received += value?.length ?? 0;
    const { size } = this;
    if (size !== null && (value === undefined ? this.#received < size : this.#received > size)) {
      throw importFailed(
        `The source did not send exactly the ${size} bytes that it announced. Try again, or upload the file.`,
      );
    }
    this.#refuseTooLarge(this.#received);
    return value ?? null;
  }

  /** Limits the file's size. @throws ServiceError upload_too_large, now or once the limit is exceeded. */
  refuseMoreThan(mostBytes: number): void {
    this.#mostBytes = mostBytes;
    this.#refuseTooLarge(this.size ?? this.#received);
  }

  #refuseTooLarge(bytes: number): void {
    if (bytes <= this.#mostBytes) return;
    throw new ServiceError(
      "upload_too_large",
      `The file at the URL is larger than ${this.#mostBytes / 1_000_000} MB. Import a smaller one.`,
    );
  }

  /** The first `length` bytes, or all if there are fewer. `read` still starts with the first one. */
  async peek(length: number): Promise<Uint8Array> {
    while (this.#received < length) {
      const bytes = await this.#receive();
      if (bytes === null) break;
      this.#seen.push(bytes);
    }
    return new Uint8Array(await new Blob(this.#seen).slice(0, length).arrayBuffer());
  }

  /** The next bytes; null after the last. */
  async read(): Promise<Uint8Array | null> {
    return this.#seen.shift() ?? (await this.#receive());
  }

  /** Closes the connection, if it is still open. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#reader.cancel().catch(() => {});
  }
}
