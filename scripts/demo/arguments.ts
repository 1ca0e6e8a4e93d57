import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../shared/error-parts.ts";
import { usageError } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

export const DEMO_HELP = `Segments a photograph on this machine, from the upload to the masks.

  npm run demo                                  the sample: a coffee cup and a spoon
  npm run demo -- photo.jpg "cat" "chair"       your photograph, what to look for
  npm run demo -- --out DIR photo.jpg "cat"     where the masks go (default demo-output)

The first run fetches the model (about 230 MB), once.
`;

export interface DemoRequest {
  readonly photo: string;
  readonly prompts: readonly string[];
  readonly out: string;
}

/** Reads the command line, paths as they are given; null when help was asked for. */
export function parseDemoArguments(args: readonly string[]): DemoRequest | null {
  const { values, positionals } = read(args);
  if (values.help) return null;
  const [photo, ...prompts] = positionals;
  if (photo === undefined) {
    return { photo: join(PROJECT_ROOT, "samples", "coffee.png"), prompts: ["cup", "spoon"], out: values.out };
  }
  if (prompts.length === 0) throw usageError(`Say what to look for: npm run demo -- ${photo} "cat" "chair"`);
  if (prompts.some((prompt) => prompt.trim() === "")) throw usageError("A prompt is empty.");
  return { photo, prompts, out: values.out };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        out: { type: "string", default: "demo-output" },
        help: { type: "boolean", short: "h", default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageError(`${messageOf(error)}\nSee: npm run demo -- --help`);
  }
}
