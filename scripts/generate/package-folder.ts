import { execFile } from "node:child_process";
import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../shared/root.ts";

const run = promisify(execFile);

const CLIENT = join(PROJECT_ROOT, "client");
/** The package's folder for the workspace of that name, which npm does not have. */
const MASKS = "masks";
const TSC = join(PROJECT_ROOT, "node_modules", ".bin", "tsc");

/** Returns the built file of a source file in package.json: `./src/node/index.ts` becomes `./node/index.js`. */
const built = (source: string, ending: ".js" | ".d.ts"): string =>
  source.replace("./src/", "./").replace(/\.ts$/, ending);

/** Returns the manifest to publish: its source files become the built ones. */
function manifestOf(workspace: {
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}): object {
  const { exports, bin, ...rest } = workspace;
  return {
    ...rest,
    private: undefined,
    // It contains the one workspace that it needs.
    devDependencies: undefined,
    exports: Object.fromEntries(
      Object.entries(exports).map(([path, source]) => [
        path,
        { types: built(source, ".d.ts"), default: built(source, ".js") },
      ]),
    ),
    ...(bin && {
      bin: Object.fromEntries(Object.entries(bin).map(([name, source]) => [name, built(source, ".js")])),
    }),
  };
}

/**
 * Fills a folder with the client library as npm publishes it: JavaScript, types, manifest, README and license.
 * @param name the name to publish under, if it differs
 */
export async function fillPackageFolder(folder: string, name?: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run(TSC, ["-p", join(CLIENT, "tsconfig.build.json"), "--outDir", folder]);
  for (const [source, target] of [
    [join("masks", "src"), MASKS],
    [join("client", "src"), "."],
  ] as const) {
    await cp(join(folder, source), join(folder, target), { recursive: true });
    await rm(join(folder, source), { recursive: true });
  }
  await rm(join(folder, "client"), { recursive: true });
  for await (const file of glob("**/*.{js,d.ts}", { cwd: folder })) {
    const path = join(folder, file);
    const masks = relative(dirname(file), join(MASKS, "index.js")).replaceAll(sep, "/");
    const ours = masks.startsWith(".") ? masks : `./${masks}`;
    const text = (await readFile(path, "utf8"))
      // The compiler rewrites the imports of built files, but not those of their declarations.
      .replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"')
      .replaceAll('from "@segmentation/masks"', `from "${ours}"`);
    await writeFile(path, text);
  }
  const workspace = JSON.parse(await readFile(join(CLIENT, "package.json"), "utf8"));
  const manifest = { ...manifestOf(workspace), ...(name !== undefined && { name }) };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const readme = await readFile(join(CLIENT, "README.md"), "utf8");
  await writeFile(
    join(folder, "README.md"),
    name === undefined
      ? readme
      : readme.replaceAll(/(?<=npx --no-install |from ")segmentation-client/g, name),
  );
  await cp(join(PROJECT_ROOT, "LICENSE"), join(folder, "LICENSE"));
}
