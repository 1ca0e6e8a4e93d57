import { copyFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The files of swagger-ui-dist that the reference page loads: docs/decisions/0010-the-viewer-of-the-reference.md. */
const REFERENCE_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

/** Puts the reference's viewer beside the studio, because a Worker has one folder of assets. */
const referenceViewer: Plugin = {
  name: "reference-viewer",
  writeBundle() {
    mkdirSync(here("dist/docs"), { recursive: true });
    for (const file of REFERENCE_FILES)
      copyFileSync(here(`../node_modules/swagger-ui-dist/${file}`), here(`dist/docs/${file}`));
  },
};

export default defineConfig({
  root: here("."),
  base: "/studio/",
  // The compiler's settings say how JSX is translated.
  plugins: [referenceViewer],
  worker: { format: "es" },
  build: {
    outDir: here("dist/studio"),
    emptyOutDir: true,
    // The policy of the pages forbids inline scripts and styles, and data: URLs for anything but pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
});
