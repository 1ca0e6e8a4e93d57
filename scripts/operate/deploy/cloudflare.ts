import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { messageOf } from "../../shared/error-parts.ts";
import { WranglerFailure } from "../../shared/cloudflare/wrangler.ts";
import type { Configuration } from "../../shared/cloudflare/configuration.ts";

/** Wrangler's answer: its output, or its sentence if it failed. */
export type Answer =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly reason: string };

/** Asks Cloudflare through Wrangler, for one configuration. The only place of the deployment that runs Wrangler. */
export interface Cloudflare {
  /** Runs a command, and says how it went. */
  readonly ask: (args: readonly string[]) => Promise<Answer>;
  /** Runs a command that has to succeed and returns its output. `input` is its standard input. @throws WranglerFailure */
  readonly run: (args: readonly string[], input?: string) => Promise<string>;
}

/** Runs a command of Wrangler, which reads `input`, and returns its standard output. @throws WranglerFailure with its output */
export type Wrangler = (args: readonly string[], signal: AbortSignal, input?: string) => Promise<string>;

/** Cloudflare, as a configuration names it. */
export function cloudflareOf({ path }: Configuration, wrangler: Wrangler, signal: AbortSignal): Cloudflare {
  const run = (args: readonly string[], input?: string) =>
    wrangler([...args, "--config", path], signal, input);
  const ask = async (args: readonly string[]): Promise<Answer> => {
    try {
      return { ok: true, output: await run(args) };
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, reason: error instanceof WranglerFailure ? error.output : messageOf(error) };
    }
  };
  return { ask, run };
}

/** Reads an answer by a schema; a reason if it failed or is not what Wrangler should print. */
export function read<T>(answer: Answer, schema: z.ZodType<T>): { value: T } | { reason: string } {
  if (!answer.ok) return { reason: answer.reason };
  const parsed = schema.safeParse(jsonIn(answer.output));
  return parsed.success
    ? { value: parsed.data }
    : { reason: "Wrangler printed something that this command cannot read" };
}

/** Cloudflare's own sentence; else Wrangler's. */
const ERROR_LINES = [/^(.*\[code: \d+\].*)$/m, /\[ERROR\]\s*(.+)/];

/** Returns the relevant sentence of a failed command's output. */
export function sentenceOf(reason: string): string {
  const found = ERROR_LINES.map((line) => line.exec(reason)?.[1]).find((sentence) => sentence !== undefined);
  return (found ?? reason).trim().split("\n")[0] ?? "";
}

/*
 * Reads what Wrangler 4.124 prints. Where it has no JSON, it prints one paragraph per thing, of lines `label:  value`.
 */

/** The paragraphs of labeled values in an output; other lines are left out. */
export function labelledParagraphs(output: string): ReadonlyMap<string, string>[] {
  return stripVTControlCharacters(output)
    .split(/\n\s*\n/)
    .map(
      (paragraph) =>
        new Map(
          [...paragraph.matchAll(/^\s*(\w+):[ \t]+(\S.*?)\s*$/gm)].map(([, label = "", value = ""]) => [
            label,
            value,
          ]),
        ),
    )
    .filter((values) => values.size > 0);
}

/** The JSON in an output: the whole of it, or the part from its first bracket on. Undefined if there is none. */
export function jsonIn(output: string): unknown {
  const text = stripVTControlCharacters(output);
  try {
    return JSON.parse(text.slice(Math.max(0, text.search(/[[{]/))));
  } catch {
    return undefined;
  }
}

export const WhoAmI = z.object({
  loggedIn: z.boolean(),
  accounts: z.array(z.object({ id: z.string() })).default([]),
});
export const Secrets = z.array(z.object({ name: z.string() }));
export const Databases = z.array(z.object({ uuid: z.string(), name: z.string() }));
export const MigrationNames = z.tuple([z.object({ results: z.array(z.object({ name: z.string() })) })]);
/** The deployment that is in force, by the versions that it sends requests to. */
export const Deployment = z.object({
  versions: z.tuple([z.object({ version_id: z.string() })], z.object({ version_id: z.string() })),
});
export const Version = z.object({
  resources: z.object({ bindings: z.array(z.object({ type: z.string() })) }),
});
