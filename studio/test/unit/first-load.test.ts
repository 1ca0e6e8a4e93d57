import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { buildStudio } from "../../../scripts/generate/studio-build.ts";

const MOST_BYTES = 72_000;

describe("the studio's first load", () => {
  it("has at most 72 kB of script, gzipped", async () => {
    await buildStudio();
    const assets = join(PROJECT_ROOT, "studio", "dist");
    const html = await readFile(join(assets, "studio", "index.html"), "utf8");
    const scripts = [...html.matchAll(/(?:src|href)="\/(studio\/assets\/[^"]+\.js)"/g)].map(
      ([, path = ""]) => path,
    );
    expect(scripts.length).toBeGreaterThan(0);
    const sizes = await Promise.all(
      scripts.map(async (path) => gzipSync(await readFile(join(assets, path))).length),
    );
    const bytes = sizes.reduce((sum, each) => sum + each, 0);
    console.log(`The studio's first load is ${bytes} bytes of script in ${scripts.length} files.`);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });
});
