import { once } from "node:events";
import { createServer } from "node:http";
import packaged from "@sparticuz/chromium";
import { chromium } from "playwright-core";
import type { WalkReport } from "../../walk/walk.ts";
import type { Platform } from "./platform.ts";
import type { Bundle } from "./bundle.ts";

/**
 * The browser's program: `CHROMIUM_PATH`, or on Linux (x64) the one that npm packs, unpacked into the temporary folder on
 * the first call; null elsewhere.
 */
async function chromiumPath(): Promise<string | null> {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined) return given;
  return process.platform === "linux" && process.arch === "x64" ? await packaged.executablePath() : null;
}

/** A page of another origin than the service's, in a browser. */
export const inChromium =
  (bundle: Bundle): Platform =>
  async (options) => {
    const executablePath = await chromiumPath();
    if (executablePath === null) return null;
    const script = await bundle("browser", "globalThis.walk = walk;");
    const server = createServer((_, response) => response.end("<!doctype html><title>A walk</title>"));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    // Its own arguments would switch the web's security off.
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
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
