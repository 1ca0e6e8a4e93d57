import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { CLIENT_CONTRACT, clientContract } from "./client-contract.ts";

const run = promisify(execFile);

const GENERATOR = join(
  PROJECT_ROOT,
  "test",
  "generated-client",
  "node_modules",
  "openapi-typescript",
  "bin",
  "cli.js",
);

/** The client types that openapi-typescript generates. */
async function clientTypes(document: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "openapi-"));
  try {
    const [source, types] = [join(folder, "openapi.json"), join(folder, "schema.d.ts")];
    await writeFile(source, document);
    // A request may leave out a field with a default.
    await run(process.execPath, [GENERATOR, source, "--output", types, "--default-non-nullable=false"], {
      cwd: folder,
    });
    return await readFile(types, "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The generated files that are committed: each file's text by its path in the project. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const document = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  const types = await clientTypes(document);
  return new Map([
    ["docs/openapi.json", document],
    ["test/generated-client/schema.d.ts", types],
    [CLIENT_CONTRACT, clientContract(types)],
  ]);
}
