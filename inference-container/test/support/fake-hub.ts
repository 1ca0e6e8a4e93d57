/** A hub as Hugging Face's API has it: repositories in one commit, redirects to another host, ranges. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listen } from "../../../scripts/shared/listen.ts";

const COMMIT = "c0ffee".padEnd(40, "0");

/** A request that came. */
export interface HubRequest {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
  /** True if it came to the host that the hub redirects to. */
  readonly isStorage: boolean;
}

/** The hub's reaction to a request for a file; undefined for the usual answer. */
export type Fault = (request: HubRequest, response: ServerResponse, bytes: Buffer) => boolean | undefined;

export class FakeHub implements AsyncDisposable {
  readonly requests: HubRequest[] = [];
  /** Files by repository and path; graphs are large files, with their SHA-256 in the list. */
  readonly files: Record<string, Record<string, Uint8Array>>;
  fault: Fault | undefined;
  /** Changes the list. */
  changeList: (list: { siblings: Record<string, unknown>[] }) => unknown = (list) => list;
  readonly #servers: Server[] = [];
  readonly #origins: string[] = [];

  private constructor(files: FakeHub["files"]) {
    this.files = files;
  }

  /** Starts a hub, and the host to which it redirects for large files. */
  static async start(files: FakeHub["files"]): Promise<FakeHub> {
    const hub = new FakeHub(files);
    for (const isStorage of [false, true]) {
      const server = createServer((request, response) => hub.#answer(request, response, isStorage));
      hub.#servers.push(server);
      hub.#origins.push(await listen(server));
    }
    return hub;
  }

  get url(): string {
    return this.#origins[0] ?? "";
  }

  /** The address of the host that it redirects to. */
  get storage(): string {
    return this.#origins[1] ?? "";
  }

  /** The requests for one file. */
  of(path: string): HubRequest[] {
    return this.requests.filter(({ url }) => url.endsWith(`/${path}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  }

  #answer({ url = "", headers }: IncomingMessage, response: ServerResponse, isStorage: boolean): void {
    const { authorization, range } = headers;
    const request = { url, authorization, range, isStorage };
    this.requests.push(request);
    const [, listed] = /^\/api\/models\/(.+)\/revision\/main\?blobs=true$/.exec(url) ?? [];
    const [, repository = "", path = ""] = /^\/([^/]+\/[^/]+)\/resolve\/[0-9a-f]{40}\/(.+)$/.exec(url) ?? [];
    const files = this.files[listed ?? repository];
    const bytes = Buffer.from(files?.[path] ?? []);
    if (this.fault?.(request, response, bytes) === true) return;
    if (listed === undefined ? files?.[path] === undefined : files === undefined)
      response.writeHead(404).end();
    else if (listed !== undefined) response.end(JSON.stringify(this.changeList(this.#list(listed))));
    else if (!isStorage && isLarge(path))
      response.writeHead(302, { location: `${this.storage}${url}` }).end();
    else serve(bytes, range, response);
  }

  #list(repository: string): { sha: string; siblings: Record<string, unknown>[] } {
    const siblings = Object.entries(this.files[repository] ?? {}).map(([rfilename, content]) => {
      const bytes = Buffer.from(content);
      const blobId = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const lfs = isLarge(rfilename) ? { lfs: { sha256, size: bytes.length, pointerSize: 134 } } : {};
      return { rfilename, size: bytes.length, blobId, ...lfs };
    });
    return { sha: COMMIT, siblings };
  }
}

const isLarge = (path: string): boolean => /\.onnx(?:\.data)?$/.test(path);

function serve(bytes: Buffer, range: string | undefined, response: ServerResponse): void {
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
  const length = bytes.length - start;
  if (start === 0) response.writeHead(200, { "content-length": length });
  else
    response.writeHead(206, {
      "content-length": length,
      "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
    });
  response.end(bytes.subarray(start));
}
