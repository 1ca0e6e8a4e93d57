import { once } from "node:events";
import { createServer } from "node:http";
import { launchChromium } from "../../../../scripts/shared/chromium.ts";
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
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${address.port}/`);
      await page.addScriptTag({ path: script, type: "module" });
      await page.waitForFunction("globalThis.walk !== undefined");
      const report: WalkReport[] = await page.evaluate(`globalThis.walk(${JSON.stringify(options)})`);
      return report;
    } finally {
      await browser.close();
      server.close();
    }
  };
