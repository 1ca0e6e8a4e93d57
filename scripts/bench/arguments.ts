import { flags, readArguments, texts, usageError, wholeNumber } from "../shared/command-line.ts";

export const BENCH_HELP = `Measures the whole service on this machine and prints Markdown tables.

  npm run bench [-- pictures]   how long a picture takes from createJob to success, and in which steps, compared with a
                                bare loop that runs only the model: for new pictures, for a second prompt on each, and
                                for regions, if the model draws any
  npm run bench -- video        how long a video takes from createJob to success, compared with each step alone (decode,
                                model, encode), with the embedded model and with dummy models that take a fixed time
                                per frame; then the memory that videos of ten seconds and of ten minutes take; with
                                --part following, a video by words compared with the same by one box and by ten
  npm run bench -- service      the inference service alone: how much processor time it takes in front of a GPU, which a
                                fake replaces (--part host); then how many pictures per second it processes with
                                the embedded model, compared with a bare loop that runs only the model
  npm run bench -- viewer       how smoothly the studio pans a picture of 12 megapixels with 100 masks, compared with the
                                picture alone, in a browser with software rendering
  npm run bench -- click        how long a click in the studio takes until its mask is listed, drawn by the browser and by a
                                job, compared with the same region through the client library, by a job and decoded there;
                                on the sample picture, with its features cached
  npm run bench -- segment      how long POST /v1/segment takes from a picture to its masks, compared with the steps that it
                                stands for: upload, job, wait and result; for new pictures and for a known one
  npm run bench -- capacity     what a job asks the platform for (calls, rows and bytes of the database, objects, queues), how
                                accounts spread over 1, 4 and 16 databases and how many jobs per second these carry, and
                                what deployments of 10 to 10,000 accounts cost by list prices; on an idle model

  npm run bench -- model        the processor time of a new picture, of a click and of eight boxes, for the embedded model and its
                                variant builtin-fast, or for the folders of --folders
  npm run bench -- gateway      how many tasks and messages per second one gateway relays to 1, 10 and 50 connected workers

  --pictures N                  number of pictures, for prompts and for regions each (default 12)
  --frames N                    number of the video's frames for the embedded model (default 12)
  --rounds N                    how often to measure each side of a comparison (default 5 for video and viewer, 3 for
                                service, click, capacity and gateway, 6 for model, 10 for segment)
  --folders A,B                 model folders; the others are compared with the first
  --part speed|memory|following only one part of the video's measurement
  --part host|embedded          only one part of the service's measurement
  --megapixels N                the size of the pictures for the fake of a GPU (default 2)
  --quick                       a rough result: few rounds, fewer frames and pictures, a video of one minute

Both sides of a comparison are measured in the same run. Times depend on this machine and its other work, so
compare the ratios.
`;

type Option = "pictures" | "frames" | "rounds" | "part" | "megapixels" | "folders" | "quick";

type Part = "speed" | "memory" | "following" | "host" | "embedded";

interface Bench {
  readonly takes: readonly Option[];
  /** The usual number of rounds, and with --quick. */
  readonly rounds: readonly [usual: number, quick: number];
  /** The parts that --part may name, and the parts measured without it. */
  readonly parts?: readonly Part[];
  readonly usualParts?: readonly Part[];
}

const ofRounds = (usual: number): Bench => ({ takes: ["rounds", "quick"], rounds: [usual, 1] });

const BENCHES = {
  pictures: { takes: ["pictures"], rounds: [1, 1] },
  video: {
    takes: ["frames", "rounds", "part", "quick"],
    rounds: [5, 1],
    parts: ["speed", "memory", "following"],
    usualParts: ["speed", "memory"],
  },
  service: {
    takes: ["rounds", "part", "megapixels", "quick"],
    rounds: [3, 1],
    parts: ["host", "embedded"],
    usualParts: ["host", "embedded"],
  },
  viewer: ofRounds(5),
  click: ofRounds(3),
  segment: ofRounds(10),
  capacity: ofRounds(3),
  gateway: ofRounds(3),
  model: { takes: ["rounds", "folders", "quick"], rounds: [6, 3] },
} as const satisfies Record<string, Bench>;

export type BenchSubject = keyof typeof BENCHES;

/** The request for a measurement; each benchmark reads its options. */
export interface BenchRequest {
  readonly subject: BenchSubject;
  readonly pictures: number;
  /** Number of the video's frames that the embedded model processes. */
  readonly frames: number;
  readonly rounds: number;
  /** Parts of the video's or the service's measurement; empty for another. */
  readonly parts: readonly Part[];
  /** The size of the pictures for the fake of a GPU. */
  readonly megapixels: number;
  /** Model folders to compare; empty for the embedded ones. */
  readonly folders: readonly string[];
  readonly quick: boolean;
}

const SEE = "See: npm run bench -- --help";

/** Reads the command line; null if it asks for help. @throws Failure, a usage error that names the mistake */
export function parseBenchArguments(args: readonly string[]): BenchRequest | null {
  const { values, positionals } = readArguments("bench", args, {
    ...texts("pictures", "frames", "rounds", "part", "megapixels", "folders"),
    ...flags("quick"),
  });
  const { help, quick = false, ...given } = values;
  if (help === true) return null;
  const [subject = "pictures", ...others] = positionals;
  if (others.length > 0) throw usageError(`Give only one benchmark at a time. ${SEE}`);
  if (!isSubject(subject)) throw usageError(`Unknown benchmark "${subject}". ${SEE}`);
  const { takes, rounds, parts = [], usualParts = [] }: Bench = BENCHES[subject];
  if (Object.keys(values).some((name) => !takes.some((option) => option === name)))
    throw usageError(
      `The benchmark ${subject} takes only ${listOf(
        takes.map((name) => `--${name}`),
        "and",
      )}. ${SEE}`,
    );
  const part = parts.find((name) => name === given.part);
  if (given.part !== undefined && part === undefined)
    throw usageError(`For ${subject}, --part must be ${listOf(parts, "or")}. ${SEE}`);
  return {
    subject,
    pictures: wholeNumber("--pictures", given.pictures ?? "12", 1_000),
    frames: wholeNumber("--frames", given.frames ?? (quick ? "3" : "12"), 300),
    rounds: wholeNumber("--rounds", given.rounds ?? String(rounds[quick ? 1 : 0]), 100),
    parts: part === undefined ? usualParts : [part],
    megapixels: wholeNumber("--megapixels", given.megapixels ?? "2", 36),
    folders: given.folders?.split(",").filter((folder) => folder !== "") ?? [],
    quick,
  };
}

const isSubject = (word: string): word is BenchSubject => Object.hasOwn(BENCHES, word);

const listOf = (words: readonly string[], last: "and" | "or"): string =>
  [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(` ${last} `);
