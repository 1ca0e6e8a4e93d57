import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fillPackageFolder } from "../../../scripts/generate/package-folder.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { madeOnce } from "../../../test/support/process/made-once.ts";

/** Everything that the package is made from. */
const SOURCES = [
  "package-lock.json",
  "tsconfig.base.json",
  "scripts/generate/package-folder.ts",
  "client/{package.json,tsconfig.build.json,README.md}",
  "{client,masks}/src/**/*.ts",
];

/** A folder with the client library as npm publishes it, which all test files share. */
export async function packedClient(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of globSync(SOURCES, { cwd: PROJECT_ROOT }).toSorted())
    hash.update(`${file}\n`).update(await readFile(join(PROJECT_ROOT, file)));
  return await madeOnce("packed-client", hash.digest("hex").slice(0, 16), (folder) =>
    fillPackageFolder(folder),
  );
}
