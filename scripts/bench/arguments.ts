import { parseArgs } from "node:util";
import { usageError } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";

export const BENCH_HELP = `Measures the whole service on this machine and prints Markdown tables.

  npm run bench [-- pictures]   where the time of a picture goes, from createJob to success, beside a bare loop of the
                                same model in the same run: new pictures, and a second prompt on each
  npm run bench -- video        a clip from createJob to success, beside its parts alone (decode, model, encode) in the
                                same run, with the embedded model and with stand-ins of a fixed cost a frame; then the
                                memory that a clip of ten seconds and one of ten minutes take

  --pictures N                  so many pictures (default 12)
  --frames N                    so many frames of the clip for the embedded model (default 12)
  --rounds N                    each side of the clip's comparison so many times, in turns (default 5)
  --part speed|memory           one half of the clip's measurement alone
  --quick                       to try it out: 3 frames, 1 round, a clip of one minute instead of ten

Times belong to this machine and to what else it does; read the ratios.
`;

export type BenchRequest =
  | { readonly subject: "pictures"; readonly pictures: number }
  | { readonly subject: "video"; readonly video: VideoBench };

/** What of a clip is measured. */
export interface VideoBench {
  readonly speed: boolean;
  readonly memory: boolean;
  /** Of the clip, for the embedded model. */
  readonly frames: number;
  readonly rounds: number;
  readonly quick: boolean;
}

/** Reads the command line; null when help was asked for. @throws Failure that says what is wrong with it */
export function parseBenchArguments(args: readonly string[]): BenchRequest | null {
  const { values, positionals } = read(args);
  if (values.help) return null;
  const [subject = "pictures", ...others] = positionals;
  if (others.length > 0) throw usageError(`One thing is measured at a time. ${SEE}`);
  const { pictures, frames, rounds, part, quick } = values;
  switch (subject) {
    case "pictures": {
      const foreign = [frames, rounds, part].some((value) => value !== undefined) || quick;
      if (foreign) throw usageError(`Of pictures, --pictures alone can be chosen. ${SEE}`);
      return { subject, pictures: wholeNumber("--pictures", pictures ?? "12", 1_000) };
    }
    case "video": {
      if (pictures !== undefined) throw usageError(`--pictures is not for a clip: --frames is. ${SEE}`);
      if (part !== undefined && part !== "speed" && part !== "memory") {
        throw usageError("--part takes speed or memory.");
      }
      const video = {
        speed: part !== "memory",
        memory: part !== "speed",
        frames: wholeNumber("--frames", frames ?? (quick ? "3" : "12"), 300),
        rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "5"), 100),
        quick,
      };
      return { subject, video };
    }
    default:
      throw usageError(`There is no benchmark of "${subject}". ${SEE}`);
  }
}

const SEE = "See: npm run bench -- --help";

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        pictures: { type: "string" },
        frames: { type: "string" },
        rounds: { type: "string" },
        part: { type: "string" },
        quick: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageError(`${messageOf(error)}\n${SEE}`);
  }
}

function wholeNumber(option: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw usageError(`${option} takes a whole number from 1 to ${most}.`);
}
