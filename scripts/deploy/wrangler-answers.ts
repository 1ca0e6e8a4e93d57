import { stripVTControlCharacters } from "node:util";
import { z } from "zod";

/*
 * Reads what Wrangler 4.124 prints. Where it has no JSON, it prints one paragraph per thing, of lines `label:  value`.
 */

/** The paragraphs of labelled values in an output; other lines are left out. */
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

/** The JSON in an output: the whole of it, or what begins at its first bracket. Undefined if there is none. */
export function jsonIn(output: string): unknown {
  const text = stripVTControlCharacters(output);
  try {
    return JSON.parse(text.slice(Math.max(0, text.search(/[[{]/))));
  } catch {
    return undefined;
  }
}

export const WhoAmI = z.object({ loggedIn: z.boolean() });
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
