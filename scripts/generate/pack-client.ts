import { join } from "node:path";
import { fillPackageFolder } from "./package-folder.ts";
import { readArguments, runCommand, texts, usageError } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

const HELP = `Builds the client library as npm publishes it, in client/dist.

  npm run pack-client
  npm run pack-client -- --name @you/segmentation-client    under a name that you own on npm

Then set CLIENT_PACKAGE to that name, and the service's landing page shows it.
`;

await runCommand(async () => {
  const { help, name } = readArguments("pack-client", process.argv.slice(2), texts("name"), false).values;
  if (help === true) {
    console.log(HELP);
    return 0;
  }
  if (name !== undefined && !/^@[a-z\d-]+\/[a-z\d][a-z\d._-]*$/.test(name))
    throw usageError(`--name takes a name with your scope, such as @you/segmentation-client, not "${name}".`);
  const folder = join(PROJECT_ROOT, "client", "dist");
  await fillPackageFolder(folder, name);
  console.log(
    `client/dist is ready. Install it with \`npm install ${folder}\`` +
      (name === undefined ? "." : `, or publish it with \`npm publish ./client/dist --access public\`.`),
  );
  return 0;
});
