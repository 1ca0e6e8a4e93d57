import { expect, it } from "vitest";
import { segmentBucket } from "../support/node/bucket-run.ts";

const OBJECTS = Number(process.env["BUCKET_OBJECTS"] ?? 10_000);

it(`a bucket of ${OBJECTS} objects is segmented into a bucket, each once, by a command line that was killed twice`, async () => {
  const said = await segmentBucket(OBJECTS, 2);
  process.stdout.write(`${said}\n`);
  expect(said).toMatch(/ objects /);
});
