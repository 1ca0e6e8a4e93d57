import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { build } from "vite";
import { listen } from "../../../scripts/shared/listen.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

/** The policy of the studio's pages. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; worker-src 'self'";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webm": "video/webm",
  ".json": "application/json",
};

/** A page of the viewers, served under the studio's policy. */
export interface ServedPage {
  readonly url: string;
  /** Serves a file next to the page. Returns its address. */
  readonly put: (name: string, content: Uint8Array | string) => string;
  readonly close: () => Promise<void>;
}

/** Builds the viewers' page as Vite builds the studio, and serves it on a free port. */
export async function servePage(): Promise<ServedPage> {
  const folder = await mkdtemp(join(tmpdir(), "viewer-page-"));
  await build({
    configFile: false,
    root: join(PROJECT_ROOT, "studio", "test", "browser", "page"),
    logLevel: "warn",
    worker: { format: "es" },
    build: { outDir: folder, emptyOutDir: true, assetsInlineLimit: 0, target: "es2022" },
  });
  const files = new Map<string, Uint8Array | string>();
  const server = createServer((request, response) => {
    void (async () => {
      const path = new URL(request.url ?? "/", "http://localhost").pathname;
      const name = path === "/" ? "/index.html" : path;
      const content = files.get(name) ?? (await readFile(join(folder, name)).catch(() => null));
      if (content === null) return response.writeHead(404).end();
      const headers = { "content-type": TYPES[extname(name)] ?? "application/octet-stream" };
      return response.writeHead(200, { ...headers, "content-security-policy": POLICY }).end(content);
    })();
  });
  const url = `${await listen(server)}/`;
  return {
    url,
    put: (name, content) => {
      files.set(`/${name}`, content);
      return `${url}${name}`;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
