import { parseArgs } from "node:util";
import { usageError } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";

export const BENCH_HELP = `Measures the whole service on this machine and prints Markdown tables.

  npm run bench [-- pictures]   how long a picture takes from createJob to success, and in which steps, compared with a
                                bare loop that runs only the model; for new pictures, and for a second prompt on each;
                                and the same for regions, if the model draws any
  npm run bench -- video        how long a clip takes from createJob to success, compared with each step alone (decode,
                                model, encode), with the embedded model and with dummy models that take a fixed time
                                per frame; then the memory that clips of ten seconds and of ten minutes take
  npm run bench -- service      the inference service alone: how many pictures per second it processes, compared with a
                                bare loop that runs only the model; its mask encoder compared with sharp's; its memory
                                under mixed work
  npm run bench -- list-jobs    a page of listJobs on the local D1 engine, for each filter: an account with a million jobs
                                compared with one that has a thousand
  npm run bench -- create-job   how long createJob takes with 100 uploads, compared with 1; no task is processed
  npm run bench -- result       the result of a job with 30,000 masks: processor time and memory of the local Workers
                                runtime, compared with the former way, which built the whole answer
  npm run bench -- waiting      how soon 200 clients that wait for 200 jobs (Prefer: wait) are answered after the jobs' ends, and
                                what they ask of the database meanwhile
  npm run bench -- dispatch     how tasks wait for a full service, in simulated time: after an outage, and beside an account
                                with 1,000 jobs
  npm run bench -- kserve       how much of a played model server's throughput the inference service reaches, with 4, 8 and
                                16 requests at once
  npm run bench -- joins        a graph run for four rows at once, compared with four runs of one row, on the CPU
  npm run bench -- viewer       how smoothly the studio pans a picture of 12 megapixels with 100 masks, compared with the picture
                                alone, in a browser that draws by software

  npm run bench -- click        how long a click in the studio takes until its mask is listed, compared with the same region
                                by the client library; on the sample picture, which the model knows by then

  --pictures N                  number of pictures, for prompts and for regions each (default 12)
  --frames N                    number of the clip's frames for the embedded model (default 12)
  --rounds N                    how often to measure each side of a comparison (default 5 for a clip, 3 for the service, kserve, waiting and click,
                                5 for the dispatch, 15 for lists and joins, 40 for createJob, 7 for the result)
  --part speed|memory           only one half of the clip's measurement
  --part throughput|masks|soak  only one part of the service's measurement
  --soak MINUTES                duration of the mixed work (default 5)
  --quick                       a rough result: few rounds, fewer frames and pictures, a clip and a soak of one minute,
                                100,000 jobs

Both sides of a comparison are measured in the same run. Times depend on this machine and its other work, so
compare the ratios.
`;

export type BenchRequest =
  | { readonly subject: "pictures"; readonly pictures: number }
  | { readonly subject: "create-job"; readonly rounds: number }
  | { readonly subject: "video"; readonly video: VideoBench }
  | { readonly subject: "service"; readonly service: ServiceBench }
  | { readonly subject: "list-jobs"; readonly list: ListBench }
  | { readonly subject: "result"; readonly result: ResultBench }
  | { readonly subject: "dispatch"; readonly dispatch: DispatchBench }
  | { readonly subject: "joins"; readonly rounds: number }
  | { readonly subject: "viewer"; readonly rounds: number }
  | { readonly subject: "click"; readonly rounds: number }
  | { readonly subject: "waiting"; readonly rounds: number }
  | { readonly subject: "kserve"; readonly kserve: { readonly rounds: number; readonly quick: boolean } };

const SERVICE_PARTS = ["throughput", "masks", "soak"] as const;
type ServicePart = (typeof SERVICE_PARTS)[number];

/** Which measurements of a clip to make. */
export interface VideoBench {
  readonly speed: boolean;
  readonly memory: boolean;
  /** How many frames of the clip the embedded model processes. */
  readonly frames: number;
  readonly rounds: number;
  readonly quick: boolean;
}

/** How often to simulate the dispatch of tasks. */
export interface DispatchBench {
  readonly rounds: number;
}

/** Which measurements of the inference service to make. */
export interface ServiceBench {
  readonly parts: readonly ServicePart[];
  readonly rounds: number;
  readonly soakMinutes: number;
  readonly quick: boolean;
}

/** How to measure the list of jobs. */
export interface ListBench {
  /** How many jobs the larger account has. */
  readonly jobs: number;
  readonly rounds: number;
}

/** How to measure the result of a job. */
export interface ResultBench {
  readonly rounds: number;
}

/** Reads the command line; null if it asks for help. @throws Failure, a usage error that names what is wrong */
export function parseBenchArguments(args: readonly string[]): BenchRequest | null {
  const { values, positionals } = read(args);
  if (values.help) return null;
  const [subject = "pictures", ...others] = positionals;
  if (others.length > 0) throw usageError(`Give only one benchmark at a time. ${SEE}`);
  const { pictures, frames, rounds, part, soak, quick } = values;
  const onlyRounds = (what: string): void => {
    if ([pictures, frames, part, soak].some((value) => value !== undefined))
      throw usageError(`The benchmark of ${what} takes only --rounds and --quick. ${SEE}`);
  };
  switch (subject) {
    case "pictures": {
      const foreign = [frames, rounds, part, soak].some((value) => value !== undefined) || quick;
      if (foreign) throw usageError(`The benchmark of pictures takes only --pictures. ${SEE}`);
      return { subject, pictures: wholeNumber("--pictures", pictures ?? "12", 1_000) };
    }
    case "video": {
      if (pictures !== undefined)
        throw usageError(`The benchmark of a clip does not take --pictures; use --frames. ${SEE}`);
      if (soak !== undefined) throw usageError(`Only the benchmark of the service takes --soak. ${SEE}`);
      if (part !== undefined && part !== "speed" && part !== "memory") {
        throw usageError(`For a clip, --part must be speed or memory. ${SEE}`);
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
        throw usageError(`The benchmark of the service does not take --pictures or --frames. ${SEE}`);
      }
      const parts = part === undefined ? SERVICE_PARTS : SERVICE_PARTS.filter((name) => name === part);
      if (parts.length === 0)
        throw usageError(
          `For the service, --part must be ${SERVICE_PARTS.slice(0, -1).join(", ")} or ${SERVICE_PARTS.at(-1)}. ${SEE}`,
        );
      const service = {
        parts,
        rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "3"), 100),
        soakMinutes: wholeNumber("--soak", soak ?? (quick ? "1" : "5"), 10_000),
        quick,
      };
      return { subject, service };
    }
    case "list-jobs": {
      onlyRounds("lists");
      const list = {
        jobs: quick ? 100_000 : 1_000_000,
        rounds: wholeNumber("--rounds", rounds ?? (quick ? "3" : "15"), 100),
      };
      return { subject, list };
    }
    case "create-job": {
      const foreign = [pictures, frames, part, soak].some((value) => value !== undefined) || quick;
      if (foreign) throw usageError(`The benchmark of createJob takes only --rounds. ${SEE}`);
      return { subject, rounds: wholeNumber("--rounds", rounds ?? "40", 200) };
    }
    case "result": {
      onlyRounds("results");
      return {
        subject,
        result: { rounds: wholeNumber("--rounds", rounds ?? (quick ? "2" : "7"), 100) },
      };
    }
    case "dispatch": {
      onlyRounds("the dispatch");
      return {
        subject,
        dispatch: { rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "5"), 100) },
      };
    }
    case "kserve": {
      onlyRounds("model servers");
      const kserve = { rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "3"), 100), quick };
      return { subject, kserve };
    }
    case "joins": {
      onlyRounds("joins");
      return { subject, rounds: wholeNumber("--rounds", rounds ?? (quick ? "3" : "15"), 100) };
    }
    case "waiting": {
      onlyRounds("waiting");
      return { subject, rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "3"), 100) };
    }
    case "viewer": {
      onlyRounds("the viewer");
      return { subject, rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "5"), 100) };
    }
    case "click": {
      onlyRounds("clicks");
      return { subject, rounds: wholeNumber("--rounds", rounds ?? (quick ? "1" : "3"), 100) };
    }
    default:
      throw usageError(`There is no benchmark "${subject}". ${SEE}`);
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
  throw usageError(`${option} must be a whole number from 1 to ${most}.`);
}
