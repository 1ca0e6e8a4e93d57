import { basename } from "node:path";
import { parse, stringify, type TomlTable } from "smol-toml";
import { Failure } from "../command-line.ts";
import { readIfPresent, replaceFile } from "../state/private-file.ts";

/*
 * What an operator sets stands beside wrangler.toml, in a file of his own that an upgrade does not touch. Wrangler reads one
 * file, so the two are merged into a third whenever a command needs them.
 */

const withoutExtension = (configFile: string): string => configFile.replace(/\.(?:toml|jsonc?)$/, "");

/** The operator's own settings: `wrangler.operator.toml` for `wrangler.toml`. */
export const operatorFileOf = (configFile: string): string => `${withoutExtension(configFile)}.operator.toml`;

/** The secrets that `--create` generated: `wrangler.operator.env`. */
export const operatorEnvOf = (configFile: string): string => `${withoutExtension(configFile)}.operator.env`;

/** What a file of secrets says, by name; empty if there is none. */
export async function readOperatorEnv(configFile: string): Promise<ReadonlyMap<string, string>> {
  const text = (await readIfPresent(operatorEnvOf(configFile))) ?? "";
  return new Map(
    [...text.matchAll(/^([A-Z0-9_]+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** What Wrangler reads instead of both: `wrangler.effective.json`. In the same folder, because its paths begin there. */
export const effectiveFileOf = (configFile: string): string =>
  `${withoutExtension(configFile)}.effective.json`;

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What names an entry of a list: a binding, a queue's consumer, a migration of objects. */
const nameOf = (entry: unknown): unknown =>
  isTable(entry) ? (entry["binding"] ?? entry["name"] ?? entry["queue"] ?? entry["tag"]) : undefined;

const areNamed = (list: unknown): list is unknown[] =>
  Array.isArray(list) && list.every((entry) => nameOf(entry) !== undefined);

/** A configuration with the operator's settings in it: tables and lists of named entries are merged, anything else is replaced. */
export function mergeConfiguration(base: unknown, own: unknown): unknown {
  if (isTable(base) && isTable(own)) {
    const names = new Set([...Object.keys(base), ...Object.keys(own)]);
    return Object.fromEntries(
      [...names].map((name) => [
        name,
        name in own && name in base ? mergeConfiguration(base[name], own[name]) : (own[name] ?? base[name]),
      ]),
    );
  }
  if (!areNamed(base) || !areNamed(own)) return own;
  // One after another: `--create` adds an id in an entry of its own, also to a database that only the operator's file has.
  const merged = [...base];
  for (const entry of own) {
    const at = merged.findIndex((one) => nameOf(one) === nameOf(entry));
    if (at === -1) merged.push(entry);
    else merged[at] = mergeConfiguration(merged[at], entry);
  }
  return merged;
}

const HEADER = `# Your deployment. It is merged over wrangler.toml, so it holds only what differs from it; an upgrade does not touch it.
# docs/operations.md describes every setting. Secrets are not here: Cloudflare keeps them.
`;

/** Something that `--create` adds to the operator's file. */
export interface Addition {
  /** Keys of the file itself, such as `routes`. */
  readonly top?: TomlTable;
  /** Settings, for `[vars]`. */
  readonly vars?: TomlTable;
  /** Entries of lists, such as `d1_databases`. */
  readonly entries?: TomlTable;
}

/** Text with additions in it: what stands there stays as it is, comments too. */
function withAddition(text: string, { top = {}, vars = {}, entries = {} }: Addition): string {
  const lines = text.trimEnd().split("\n");
  const put = (at: number, table: TomlTable) =>
    lines.splice(at, 0, ...stringify(table).trimEnd().split("\n"));
  if (Object.keys(vars).length > 0) {
    const at = lines.findIndex((line) => /^\s*\[vars\]/.test(line));
    if (at === -1) lines.push("", "[vars]");
    put(at === -1 ? lines.length : at + 1, vars);
  }
  if (Object.keys(entries).length > 0) {
    lines.push("");
    put(lines.length, entries);
  }
  if (Object.keys(top).length > 0) {
    const first = lines.findIndex((line) => /^\s*\[/.test(line));
    put(first === -1 ? lines.length : first, top);
  }
  return `${lines.join("\n")}\n`;
}

/** Adds to the operator's file, which it creates if need be. @throws Failure if it has the setting already, with another value */
export async function addToOperatorFile(configFile: string, addition: Addition): Promise<void> {
  const path = operatorFileOf(configFile);
  const text = withAddition((await readIfPresent(path)) ?? HEADER, addition);
  try {
    parse(text);
  } catch {
    throw new Failure(
      `${basename(path)} has one of these already, with another value: ${Object.keys({ ...addition.top, ...addition.vars, ...addition.entries }).join(", ")}`,
    );
  }
  await replaceFile(path, text);
}
