import { expect, it } from "vitest";
import { segmentBucket } from "../support/node/bucket-run.ts";

const OBJECTS = Number(process.env["BUCKET_OBJECTS"] ?? 10_000);
/** The account's rate of requests alone makes 10,000 take a quarter of an hour. */
const HANG_MS = 4 * 3_600_000;

it(
  `a manifest of ${OBJECTS} objects is segmented into a bucket, each once, by a command line that was killed twice`,
  async () => {
    const said = await segmentBucket({ objects: OBJECTS, kills: 2, by: "manifest" });
    process.stdout.write(`${said}\n`);
    expect(said).toMatch(/ objects /);
  },
  HANG_MS,
);
