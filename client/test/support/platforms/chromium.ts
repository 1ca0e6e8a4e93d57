import { createServer } from "node:http";
import { listen } from "../../../../scripts/shared/listen.ts";
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
