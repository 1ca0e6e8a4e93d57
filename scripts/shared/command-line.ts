/** The common part of the project's commands: arguments, exit codes, messages instead of stack traces, Ctrl-C. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { Failure, usageFailure as usageError } from "../../client/src/cli/failure.ts";
import { EXIT_CODES, Interrupted } from "../../client/src/cli/terminal.ts";
import { messageOf } from "./error-parts.ts";

export { Failure, usageError };

type OptionsOf<Name extends string, Type> = Readonly<Record<Name, { readonly type: Type }>>;

/** Options with a value. */
export const texts = <const Name extends string>(...names: readonly Name[]): OptionsOf<Name, "string"> =>
  Object.assign({}, ...names.map((name) => ({ [name]: { type: "string" } })));

/** Options without a value. */
export const flags = <const Name extends string>(...names: readonly Name[]): OptionsOf<Name, "boolean"> =>
  Object.assign({}, ...names.map((name) => ({ [name]: { type: "boolean" } })));

/** The option of every command. */
const HELP = { help: { type: "boolean", short: "h" } } as const;

/**
 * Reads a command's arguments by Node's `parseArgs`, with `--help`. @param name the command's, as npm runs it
 * @throws Failure, a usage error that names the mistake
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  name: string,
  args: readonly string[],
  options: Options,
  allowPositionals = true,
) {
  const taken = takenByNpm(args, Object.keys(options), process.env);
  if (taken.length > 0)
    throw usageError(
      `npm took ${taken.join(" and ")} as its own. Did you forget "--"? npm run ${name} -- ${taken[0]} …`,
    );
  try {
    return parseArgs({ args: [...args], options: { ...HELP, ...options }, allowPositionals });
  } catch (error) {
    // The rest of Node's message is about arguments that begin with a dash; there are none here.
    throw usageError(`${messageOf(error).split(". ")[0]}.\nSee: npm run ${name} -- --help`);
  }
}

/** Settings that npm may have from its files, or from a machine without a person to ask. */
const NPMS_OWN = new Set(["yes", "email", "key"]);

/**
 * Returns the options that npm has kept from a command. Options before `--` are npm's, which puts them into the environment and
 * passes on the rest: `npm run deploy --dry-run` would deploy.
 */
export function takenByNpm(
  args: readonly string[],
  options: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return options
    .filter((option) => !NPMS_OWN.has(option) && env[`npm_config_${option.replaceAll("-", "_")}`])
    .map((option) => `--${option}`)
    .filter((option) => !args.some((arg) => arg === option || arg.startsWith(`${option}=`)));
}

/** An option's whole number. @throws Failure, a usage error */
export function wholeNumber(option: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? "of 1 or more" : `from 1 to ${most}`;
  throw usageError(`${option} must be a whole number ${range}.`);
}

/**
 * Runs a command and ends the process with its exit code.
 * The first SIGINT, SIGTERM or SIGHUP aborts `signal` with an `Interrupted` and gives the command time to clean up.
 * A second one, more than a second later, ends the process at once.
 */
export async function runCommand(command: (signal: AbortSignal) => Promise<number>): Promise<never> {
  const controller = new AbortController();
  let firstAt = 0;
  for (const [name, code] of Object.entries(EXIT_CODES)) {
    process.on(name, () => {
      // A Ctrl-C reaches this process twice: from the terminal and forwarded by npm.
      if (firstAt > 0 && Date.now() - firstAt > 1_000) process.exit(code);
      if (firstAt > 0) return;
      firstAt = Date.now();
      console.error("\nStopping…");
      controller.abort(new Interrupted(code));
    });
  }
  try {
    process.exit(await command(controller.signal));
  } catch (error) {
    const cause = controller.signal.aborted ? controller.signal.reason : error;
    if (cause instanceof Interrupted) process.exit(cause.exitCode);
    if (error instanceof Failure) {
      console.error(error.message);
      process.exit(error.exitCode);
    }
    console.error(error);
    process.exit(1);
  }
}
