import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generatedFiles } from "./openapi/files.ts";
import { flags, readArguments, runCommand } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { readIfPresent } from "../shared/state/private-file.ts";

const HELP = `npm run openapi [-- --check]

Generates the OpenAPI document, docs/openapi.json, and from it what the client libraries know of the service:
client/src/contract.ts, client/src/api/operations.ts, and models.py and api.py of the Python package. Also writes the digest of
the protocol's messages, protocol/test/digests.json.
--check writes nothing and exits with 1 if the files are out of date.`;

await runCommand(async () => {
  const args = process.argv.slice(2);
  const { check: isCheck = false, help } = readArguments("openapi", args, flags("check"), false).values;
  if (help === true) {
    console.log(HELP);
    return 0;
  }
  let stale = 0;
  for (const [path, text] of await generatedFiles()) {
    const file = join(PROJECT_ROOT, path);
    if ((await readIfPresent(file)) === text) continue;
    stale += 1;
    if (!isCheck) await writeFile(file, text);
    console.log(isCheck ? `${path} is out of date. Update it with: npm run openapi` : `${path} written`);
  }
  return isCheck && stale > 0 ? 1 : 0;
});
