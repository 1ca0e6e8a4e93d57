import { join } from "node:path";
import { build } from "esbuild";
import { PROJECT_ROOT } from "../../../../scripts/shared/root.ts";

/** Makes one file of the walk, the published client, and the code that runs the walk there. Returns its path. */
export type Bundle = (name: string, main: string) => Promise<string>;

/** Bundles into a folder; `library` is the package's own. */
export const bundleInto =
  (folder: string, library: string): Bundle =>
  async (name, main) => {
    const outfile = join(folder, `${name}.mjs`);
    const resolveDir = join(PROJECT_ROOT, "client", "test", "walk");
    await build({
      stdin: { contents: `import { walk } from "./walk.ts";\n${main}`, resolveDir },
      alias: {
        "segmentation-client": join(library, "index.js"),
        "segmentation-client/masks": join(library, "masks.js"),
      },
      external: ["node:*"],
      bundle: true,
      format: "esm",
      outfile,
    });
    return outfile;
  };
