import { parseArgs } from "node:util";
import { usageError } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";

export const MODELS_HELP = `Lists, checks and describes the models that the inference service can load.

  npm run models -- list              lists this machine's model folders, and the known families
  npm run models -- check FOLDER      loads a folder as the service does, and reports its tensors, time and memory
  npm run models -- describe FOLDER   writes the manifest.json for a folder with an export
  npm run models -- fetch builtin     downloads the embedded model (about 230 MB, once)

  --json            list, check: print JSON
  --provider NAME   check: cpu (the default) or cuda
  --force           describe: overwrite a manifest.json

list and fetch use the folder MODEL_DIR, by default segmentation-models in your cache folder.
Exit codes: 0 for success, 1 if a folder cannot be used, 2 for a wrong command line.
docs/models.md says where to get each family.
`;

const PROVIDERS = ["cpu", "cuda"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A validated command line; paths are as given. */
export type ModelsCommand =
  | { readonly action: "help" }
  | { readonly action: "list"; readonly json: boolean }
  | { readonly action: "check"; readonly folder: string; readonly provider: Provider; readonly json: boolean }
  | { readonly action: "describe"; readonly folder: string; readonly force: boolean }
  | { readonly action: "fetch" };

type Action = Exclude<ModelsCommand["action"], "help">;

const OPTIONS_OF: Readonly<Record<Action, readonly string[]>> = {
  list: ["json"],
  check: ["json", "provider"],
  describe: ["force"],
  fetch: [],
};

const SEE_HELP = "See: npm run models -- --help";

const isAction = (word: string): word is Action => Object.hasOwn(OPTIONS_OF, word);

/** Reads the command line. @throws Failure, a usage error that names what is wrong */
export function parseModelsArguments(args: readonly string[]): ModelsCommand {
  const { values, positionals } = read(args);
  const [action, ...operands] = positionals;
  if (values.help === true || action === undefined) return { action: "help" };
  if (!isAction(action)) throw usageError(`There is no command "${action}".\n${SEE_HELP}`);
  const foreign = Object.keys(values).find((name) => !OPTIONS_OF[action].includes(name));
  if (foreign !== undefined) throw usageError(`${action} does not take --${foreign}.\n${SEE_HELP}`);
  if (operands.length > (action === "list" ? 0 : 1))
    throw usageError(`Too many arguments for ${action}.\n${SEE_HELP}`);
  const json = values.json ?? false;
  const folder = (): string => {
    const [given] = operands;
    if (given === undefined || given === "")
      throw usageError(`The folder is missing: npm run models -- ${action} FOLDER`);
    return given;
  };
  switch (action) {
    case "list":
      return { action, json };
    case "check":
      return { action, folder: folder(), provider: providerOf(values.provider), json };
    case "describe":
      return { action, folder: folder(), force: values.force ?? false };
    case "fetch":
      if (operands[0] !== "builtin")
        throw usageError("Only the embedded model can be fetched, with: npm run models -- fetch builtin");
      return { action };
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        json: { type: "boolean" },
        provider: { type: "string" },
        force: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageError(`${messageOf(error).split(". ")[0]}.\n${SEE_HELP}`);
  }
}

function providerOf(given: string | undefined): Provider {
  const provider = PROVIDERS.find((name) => name === (given ?? "cpu"));
  if (provider === undefined) throw usageError(`--provider must be ${PROVIDERS.join(" or ")}.`);
  return provider;
}
