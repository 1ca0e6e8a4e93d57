import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { build } from "vite";
import { PROJECT_ROOT } from "../shared/root.ts";
import { readIfPresent } from "../shared/state/private-file.ts";

const inProject = (path: string): string => join(PROJECT_ROOT, path);

/** The folder of the Worker's assets, by wrangler.toml. */
const ASSETS = inProject("studio/dist");
/** The digest of the assets' sources. */
const STAMP = inProject("studio/dist/.assetsignore");

/** All sources of the assets. */
const SOURCES = [
  "package-lock.json",
  "scripts/generate/studio-build.ts",
  "src/http/studio-config.ts",
  "src/http/pages/*.{css,js}",
  "studio/{index.html,shared.html,vite.config.ts,tsconfig.json,package.json}",
  "studio/{src,public}/**/*.*",
  "client/src/**/*.ts",
  "samples/coffee.png",
  "docs/images/coffee-preview.png",
];

/** The landing page has the studio's typeface. */
const TYPEFACE =
  "node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2";

/** The files of swagger-ui-dist that the reference page loads: docs/decisions/0010-the-viewer-of-the-reference.md. */
const REFERENCE_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

/** The sample picture and its result, for the landing page. */
const PICTURES = { before: "samples/coffee.png", after: "docs/images/coffee-preview.png" };

/** The stamp lists itself, to keep it from being served. */
async function stampOfSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of globSync(SOURCES, { cwd: PROJECT_ROOT }).toSorted())
    hash.update(`${file}\n`).update(await readFile(inProject(file)));
  return `.assetsignore\n# made from ${hash.digest("hex")}\n`;
}

let underWay: Promise<boolean> | undefined;

/**
 * Builds the Worker's assets: the studio, and the reference page's viewer. Does nothing if they exist and match the current
 * sources. Returns true if it built. Concurrent calls share one build.
 */
export function buildStudio(): Promise<boolean> {
  underWay ??= buildUnlessPresent().finally(() => (underWay = undefined));
  return underWay;
}

async function buildUnlessPresent(): Promise<boolean> {
  const stamp = await stampOfSources();
  const isPresent = async (): Promise<boolean> => (await readIfPresent(STAMP)) === stamp;
  if (await isPresent()) return false;
  const fresh = inProject(`.local/studio-${process.pid}`);
  try {
    await build({
      configFile: inProject("studio/vite.config.ts"),
      build: { outDir: join(fresh, "studio") },
    });
    await mkdir(join(fresh, "docs"), { recursive: true });
    for (const file of REFERENCE_FILES)
      await cp(inProject(`node_modules/swagger-ui-dist/${file}`), join(fresh, "docs", file));
    await cp(inProject("src/http/pages/reference.js"), join(fresh, "docs", "start.js"));
    await mkdir(join(fresh, "landing"));
    for (const file of ["landing.css", "landing.js"])
      await cp(inProject(`src/http/pages/${file}`), join(fresh, "landing", file));
    for (const [name, file] of Object.entries(PICTURES))
      await sharp(inProject(file))
        .webp({ quality: 86 })
        .toFile(join(fresh, "landing", `${name}.webp`));
    await cp(inProject(TYPEFACE), join(fresh, "landing", "instrument-sans.woff2"));
    await writeFile(join(fresh, ".assetsignore"), stamp);
    await rm(ASSETS, { recursive: true, force: true });
    try {
      await rename(fresh, ASSETS);
    } catch (error) {
      // Another process may have put the same files there meanwhile.
      if (!(await isPresent())) throw error;
    }
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return true;
}
