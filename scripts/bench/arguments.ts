import { parseArgs } from "node:util";
import { usageError } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";

export const BENCH_HELP = `Measures the whole service on this machine and prints Markdown tables.

  npm run bench [-- pictures]   where the time of a picture goes, from createJob to success, beside a bare loop of the
                                same model in the same run: new pictures, and a second prompt on each
  npm run bench -- video        a clip from createJob to success, beside its parts alone (decode, model, encode) in the
                                same run, with the embedded model and with stand-ins of a fixed cost a frame; then the
                                memory that a clip of ten seconds and one of ten minutes take
  npm run bench -- service      the inference service alone: pictures a second with several at once beside a bare loop
                                of the same model in the same run; its mask encoder beside sharp's; its memory under
                                mixed work

  --pictures N                  so many pictures (default 12)
  --frames N                    so many frames of the clip for the embedded model (default 12)
  --rounds N                    each side of a comparison so many times, in turns (default 5 for a clip, 3 for the
                                service)
  --part speed|memory           one half of the clip's measurement alone
  --part throughput|masks|soak  one part of the service's measurement alone
  --soak MINUTES                so long of mixed work (default 5)
  --quick                       to try it out: 1 round, fewer frames and pictures, a clip and a soak of one minute

Times belong to this machine and to what else it does; read the ratios.
`;

export type BenchRequest =
  | { readonly subject: "pictures"; readonly pictures: number }
  | { readonly subject: "video"; readonly video: VideoBench }
  | { readonly subject: "service"; readonly service: ServiceBench };

const SERVICE_PARTS = ["throughput", "masks", "soak"] as const;
type ServicePart = (typeof SERVICE_PARTS)[number];

/** What of a clip is measured. */
export interface VideoBench {
  readonly speed: boolean;
  readonly memory: boolean;
  /** Of the clip, for the embedded model. */
  readonly frames: number;
  readonly rounds: number;
  readonly quick: boolean;
}

/** What of the inference service is measured. */
export interface ServiceBench {
  readonly parts: readonly ServicePart[];
  readonly rounds: number;
  readonly soakMinutes: number;
  readonly quick: boolean;
}

/** Reads the command line; null when help was asked for. @throws Failure that says what is wrong with it */
export function parseBenchArguments(args: readonly string[]): BenchRequest | null {
  const { values, positionals } = read(args);
  if (values.help) return null;
  const [subject = "pictures", ...others] = positionals;
  if (others.length > 0) throw usageError(`One thing is measured at a time. ${SEE}`);
  const { pictures, frames, rounds, part, soak, quick } = values;
  switch (subject) {
    case "pictures": {
      const foreign = [frames, rounds, part, soak].some((value) => value !== undefined) || quick;
      if (foreign) throw usageError(`Of pictures, --pictures alone can be chosen. ${SEE}`);
      return { subject, pictures: wholeNumber("--pictures", pictures ?? "12", 1_000) };
    }
    case "video": {
      if (pictures !== undefined) throw usageError(`--pictures is not for a clip: --frames is. ${SEE}`);
      if (soak !== undefined) throw usageError(`--soak is for the service. ${SEE}`);
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
    case "service": {
      if (pictures !== undefined || frames !== undefined) {
        throw usageError(`--pictures and --frames are not for the service. ${SEE}`);
      }
      const parts = part === undefined ? SERVICE_PARTS : SERVICE_PARTS.filter((name) => name === part);
      if (parts.length === 0) throw usageError(`Of the service, --part takes ${SERVICE_PARTS.join(", ")}.`);
      const service = {
        parts,
        rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "3"), 100),
        soakMinutes: wholeNumber("--soak", soak ?? (quick ? "1" : "5"), 10_000),
        quick,
      };
      return { subject, service };
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
        soak: { type: "string" },
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
