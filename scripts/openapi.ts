import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generatedFiles } from "./openapi/files.ts";
import { runCommand, usageError } from "./shared/command-line.ts";
import { PROJECT_ROOT } from "./shared/root.ts";
import { readIfPresent } from "./stack/private-file.ts";

const HELP = `npm run openapi [-- --check]

Writes the API's document, docs/openapi.json, and the types of a client made from it, test/generated-client/schema.d.ts.
--check writes nothing: exit code 1 says that they are not what the code makes.`;

function parseCheck(): boolean | null {
  try {
    const { values } = parseArgs({
      options: { check: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    return values.help === true ? null : values.check === true;
  } catch (error) {
    throw usageError(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
  }
}

await runCommand(async () => {
  const isCheck = parseCheck();
  if (isCheck === null) {
    console.log(HELP);
    return 0;
  }
  let stale = 0;
  for (const [path, text] of await generatedFiles()) {
    const file = join(PROJECT_ROOT, path);
    if ((await readIfPresent(file)) === text) continue;
    stale += 1;
    if (!isCheck) await writeFile(file, text);
    console.log(isCheck ? `${path} is not what the code makes: npm run openapi` : `${path} written`);
  }
  return isCheck && stale > 0 ? 1 : 0;
});
