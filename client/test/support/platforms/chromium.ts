import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { listen } from "../../../../scripts/shared/listen.ts";
import { launchChromium } from "../../../../scripts/shared/chromium.ts";
import { PROJECT_ROOT } from "../../../../scripts/shared/root.ts";
import type { WalkReport } from "../../walk/walk.ts";
import type { Platform } from "./platform.ts";
import type { Bundle } from "./bundle.ts";

/** A page of another origin than the service's, in a browser. */
export const inChromium =
  (bundle: Bundle): Platform =>
  async (options) => {
    const browser = await launchChromium();
    if (browser === null) return null;
    const script = await bundle("browser", "globalThis.walk = walk;");
    const server = createServer((_, response) => response.end("<!doctype html><title>A walk</title>"));
    const origin = await listen(server);
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      await page.addScriptTag({ path: script, type: "module" });
      await page.waitForFunction("globalThis.walk !== undefined");
      const report: WalkReport[] = await page.evaluate(`globalThis.walk(${JSON.stringify(options)})`);
      return report;
    } finally {
      await browser.close();
      server.close();
    }
  };

/** Walks, and answers with the report. Its modules are imported at once: a service worker may import nothing later. */
const SERVICE_WORKER = `import { walk } from "./walk.ts";
addEventListener("message", (event) => event.waitUntil(walk(event.data).then((report) => event.source.postMessage(report))));`;

/** A page's service worker that imports the package file by file, in a browser. */
export const inServiceWorker =
  (library: string): Platform =>
  async (options) => {
    const browser = await launchChromium();
    if (browser === null) return null;
    const { outputFiles } = await build({
      stdin: { contents: SERVICE_WORKER, resolveDir: join(PROJECT_ROOT, "client", "test", "walk") },
      alias: {
        "segmentation-client": "/package/index.js",
        "segmentation-client/masks": "/package/masks.js",
      },
      external: ["/package/*"],
      bundle: true,
      format: "esm",
      write: false,
    });
    const server = createServer((request, response) => {
      const [, file = ""] = /^\/package(\/[\w/.-]+\.js)$/.exec(request.url ?? "") ?? [];
      const isScript = request.url !== "/";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      if (file === "")
        return response.end(isScript ? outputFiles[0]?.text : "<!doctype html><title>A walk</title>");
      return void readFile(join(library, file)).then((text) => response.end(text));
    });
    const origin = await listen(server);
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const report: WalkReport[] = await page.evaluate(`(async () => {
        const { serviceWorker } = navigator;
        await serviceWorker.register("/worker.js", { type: "module" });
        const { active } = await serviceWorker.ready;
        const told = new Promise((resolve) => (serviceWorker.onmessage = ({ data }) => resolve(data)));
        active.postMessage(${JSON.stringify(options)});
        return await told;
      })()`);
      return report;
    } finally {
      await browser.close();
      server.close();
    }
  };
