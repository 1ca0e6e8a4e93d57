import { flags, readArguments, texts, usageError, wholeNumber } from "../shared/command-line.ts";

export const BENCH_HELP = `Measures the whole service on this machine and prints Markdown tables.

  npm run bench [-- pictures]   how long a picture takes from createJob to success, and in which steps, compared with a
                                bare loop that runs only the model: for new pictures, for a second prompt on each, and
                                for regions, if the model draws any
  npm run bench -- video        how long a clip takes from createJob to success, compared with each step alone (decode,
                                model, encode), with the embedded model and with dummy models that take a fixed time
                                per frame; then the memory that clips of ten seconds and of ten minutes take; with
                                --part following, a clip by words compared with the same by one box and by ten
  npm run bench -- service      the inference service alone: how many pictures per second it processes, compared with a
                                bare loop that runs only the model; its memory under mixed work
  npm run bench -- create-job   how long createJob takes with 100 uploads, compared with 1; no task is processed
  npm run bench -- waiting      how soon 200 clients that wait for 200 jobs (Prefer: wait) are answered once the jobs end,
                                and what they cost the database meanwhile
  npm run bench -- dispatch     how tasks wait for a full service, in simulated time: after an outage, and beside an account
                                with 1,000 jobs
  npm run bench -- kserve       how much of a model server's throughput the inference service reaches, with 4, 8 and 16
                                concurrent requests: a dummy server, or with --part triton a real Triton (Python 3.11)
  npm run bench -- viewer       how smoothly the studio pans a picture of 12 megapixels with 100 masks, compared with the
                                picture alone, in a browser with software rendering
  npm run bench -- click        how long a click in the studio takes until its mask is listed, compared with the same region
                                through the client library; on the sample picture, with its features cached
  npm run bench -- bridges      how long a click through Label Studio's and CVAT's protocols takes until its shape is there,
                                compared with the same region through the API; with the picture's features cached
  npm run bench -- capacity     what a job asks the platform for (calls, rows and bytes of the database, objects, queues), how
                                accounts spread over 1, 4 and 16 databases and how many jobs per second these carry, and
                                what deployments of 10 to 10,000 accounts cost by list prices; on an idle model

  --pictures N                  number of pictures, for prompts and for regions each (default 12)
  --frames N                    number of the clip's frames for the embedded model (default 12)
  --rounds N                    how often to measure each side of a comparison (default 5 for video, dispatch and viewer,
                                3 for service, kserve, waiting, click, bridges and capacity,
                                40 for create-job)
  --part speed|memory|following only one part of the clip's measurement
  --part throughput|soak        only one half of the service's measurement
  --part played|triton          the kind of model server (default played)
  --soak MINUTES                duration of the mixed work (default 5)
  --quick                       a rough result: few rounds, fewer frames and pictures, a clip and a soak of one minute

Both sides of a comparison are measured in the same run. Times depend on this machine and its other work, so
compare the ratios.
`;

type Option = "pictures" | "frames" | "rounds" | "part" | "soak" | "quick";

interface Bench {
  readonly takes: readonly Option[];
  /** The usual number of rounds, and with --quick. */
  readonly rounds: readonly [usual: number, quick: number];
  readonly mostRounds?: number;
  readonly parts?: readonly string[];
  /** The parts without --part; by default all. */
  readonly usualParts?: readonly string[];
}

const ofRounds = (usual: number, quick: number): Bench => ({
  takes: ["rounds", "quick"],
  rounds: [usual, quick],
});

const BENCHES = {
  pictures: { takes: ["pictures"], rounds: [1, 1] },
  video: {
    takes: ["frames", "rounds", "part", "quick"],
    rounds: [5, 1],
    parts: ["speed", "memory", "following"],
    usualParts: ["speed", "memory"],
  },
  service: { takes: ["rounds", "part", "soak", "quick"], rounds: [3, 1], parts: ["throughput", "soak"] },
  "create-job": { takes: ["rounds"], rounds: [40, 40], mostRounds: 200 },
  waiting: ofRounds(3, 1),
  dispatch: ofRounds(5, 1),
  kserve: {
    takes: ["rounds", "part", "quick"],
    rounds: [3, 1],
    parts: ["played", "triton"],
    usualParts: ["played"],
  },
  viewer: ofRounds(5, 1),
  click: ofRounds(3, 1),
  bridges: ofRounds(3, 1),
  capacity: ofRounds(3, 1),
} as const satisfies Record<string, Bench>;

export type BenchSubject = keyof typeof BENCHES;

/** What to measure; each benchmark reads what it has options for. */
export interface BenchRequest {
  readonly subject: BenchSubject;
  readonly pictures: number;
  /** How many frames of the clip the embedded model processes. */
  readonly frames: number;
  readonly rounds: number;
  /** Empty for a benchmark that has no parts. */
  readonly parts: readonly string[];
  readonly soakMinutes: number;
  readonly quick: boolean;
}

const SEE = "See: npm run bench -- --help";

/** Reads the command line; null if it asks for help. @throws Failure, a usage error that names what is wrong */
export function parseBenchArguments(args: readonly string[]): BenchRequest | null {
  const { values, positionals } = readArguments("bench", args, {
    ...texts("pictures", "frames", "rounds", "part", "soak"),
    ...flags("quick"),
  });
  const { help, ...given } = values;
  if (help === true) return null;
  const [subject = "pictures", ...others] = positionals;
  if (others.length > 0) throw usageError(`Give only one benchmark at a time. ${SEE}`);
  if (!isSubject(subject)) throw usageError(`Unknown benchmark "${subject}". ${SEE}`);
  const { takes, rounds, mostRounds = 100, parts = [], usualParts = parts }: Bench = BENCHES[subject];
  if (Object.keys(given).some((name) => !takes.some((option) => option === name)))
    throw usageError(
      `The benchmark ${subject} takes only ${listOf(
        takes.map((name) => `--${name}`),
        "and",
      )}. ${SEE}`,
    );
  if (given.part !== undefined && !parts.includes(given.part))
    throw usageError(`For ${subject}, --part must be ${listOf(parts, "or")}. ${SEE}`);
  const quick = given.quick ?? false;
  return {
    subject,
    pictures: wholeNumber("--pictures", given.pictures ?? "12", 1_000),
    frames: wholeNumber("--frames", given.frames ?? (quick ? "3" : "12"), 300),
    rounds: wholeNumber("--rounds", given.rounds ?? String(rounds[quick ? 1 : 0]), mostRounds),
    parts: given.part === undefined ? usualParts : [given.part],
    soakMinutes: wholeNumber("--soak", given.soak ?? (quick ? "1" : "5"), 10_000),
    quick,
  };
}

const isSubject = (word: string): word is BenchSubject => Object.hasOwn(BENCHES, word);

const listOf = (words: readonly string[], last: "and" | "or"): string =>
  [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(` ${last} `);
