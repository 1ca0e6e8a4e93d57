import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The studio as the Worker serves it under /studio. scripts/generate/studio-build.ts says where it is written to. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/studio/",
  logLevel: "warn",
  worker: { format: "es" },
  build: {
    emptyOutDir: true,
    rolldownOptions: {
      // A shared link has a separate page, without sign-in, and not for search engines.
      input: ["index.html", "shared.html"].map((page) => fileURLToPath(new URL(page, import.meta.url))),
    },
    // The pages' policy forbids inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
});
