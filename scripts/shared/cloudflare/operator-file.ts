import { basename } from "node:path";
import { parse, stringify, type TomlTable } from "smol-toml";
import { Failure } from "../command-line.ts";
import { readIfPresent, replaceFile } from "../state/private-file.ts";

/*
 * The operator's settings are in a separate file next to wrangler.toml, which an upgrade does not touch. Wrangler reads one file,
 * so a command that needs both merges them into a third.
 */

const withoutExtension = (configFile: string): string => configFile.replace(/\.(?:toml|jsonc?)$/, "");

/** Returns the file of the operator's settings: `wrangler.operator.toml` for `wrangler.toml`. */
export const operatorFileOf = (configFile: string): string => `${withoutExtension(configFile)}.operator.toml`;

/** The secrets that `--create` generated: `wrangler.operator.env`. */
export const operatorEnvOf = (configFile: string): string => `${withoutExtension(configFile)}.operator.env`;

/** Returns the secrets in a file, by name; empty if there is none. */
export async function readOperatorEnv(configFile: string): Promise<ReadonlyMap<string, string>> {
  const text = (await readIfPresent(operatorEnvOf(configFile))) ?? "";
  return new Map(
    [...text.matchAll(/^([A-Z0-9_]+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** Returns the merged file for Wrangler: `wrangler.effective.json`. In the same folder, to which its paths are relative. */
export const effectiveFileOf = (configFile: string): string =>
  `${withoutExtension(configFile)}.effective.json`;

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the name of an entry in a list: a binding, a queue's consumer, a migration of objects. */
const nameOf = (entry: unknown): unknown =>
  isTable(entry) ? (entry["binding"] ?? entry["name"] ?? entry["queue"] ?? entry["tag"]) : undefined;

const areNamed = (list: unknown): list is unknown[] =>
  Array.isArray(list) && list.every((entry) => nameOf(entry) !== undefined);

/** Returns a configuration with the operator's settings: merges tables and lists of named entries, and replaces anything else. */
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
  // Merges entry by entry: `--create` adds an id in a separate entry, even for a database that only the operator's file has.
  const merged = [...inOrderOf(base, own)];
  for (const entry of own) {
    const at = merged.findIndex((one) => nameOf(one) === nameOf(entry));
    if (at === -1) merged.push(entry);
    else merged[at] = mergeConfiguration(merged[at], entry);
  }
  return merged;
}

const isMigration = (entry: unknown): boolean => isTable(entry) && entry["tag"] !== undefined;

/**
 * Returns the entries of wrangler.toml in the order in which they are merged. Cloudflare applies the migrations after the last one
 * that it has. So the operator's additions come before those of a later version.
 */
function inOrderOf(base: readonly unknown[], own: readonly unknown[]): readonly unknown[] {
  const names = new Set(base.map(nameOf));
  if (!own.every(isMigration) || !own.some((entry) => names.has(nameOf(entry)))) return base;
  const first = new Set(own.map(nameOf));
  const baseOf = (entry: unknown) => base.find((one) => nameOf(one) === nameOf(entry)) ?? entry;
  return [...own.map(baseOf), ...base.filter((entry) => !first.has(nameOf(entry)))];
}

const HEADER = `# Your deployment. It is merged over wrangler.toml, so it holds only what differs from it; an upgrade does not touch it.
# docs/operations/settings.md describes every setting. Secrets are not here: Cloudflare keeps them.
`;

/** An addition of `--create` to the operator's file. */
export interface Addition {
  /** Keys of the file itself, such as `routes`. */
  readonly top?: TomlTable;
  /** Settings, for `[vars]`. */
  readonly vars?: TomlTable;
  /** Entries of lists, such as `d1_databases`. */
  readonly entries?: TomlTable;
}

/** Returns the text with additions; existing lines and comments stay unchanged. */
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

/** Adds to the operator's file, or creates it. @throws Failure if it already has the setting with another value */
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
