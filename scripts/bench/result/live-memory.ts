import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import type { FinishedJob } from "../../../src/core/jobs/answers.ts";
import { presigner } from "../../../src/core/lib/presigned-url.ts";
import { resultJson } from "../../../src/core/jobs/result.ts";
import { formerResult } from "./former-result.ts";
import { largeCompletion, largeJob } from "./large-job.ts";

/** To collect garbage takes longer than to make a piece. */
const PIECES_PER_LOOK = 10;
const EXPIRES_IN = 900;
const BUCKET = {
  url: "https://0123456789abcdef0123456789abcdef.r2.cloudflarestorage.com/segmentation-media",
  accessKeyId: "0123456789abcdef0123456789abcdef",
  secretAccessKey: "for-the-benchmark-alone",
};

function collector(): () => number {
  setFlagsFromString("--expose-gc");
  const collect = z.function({ input: [], output: z.void() }).parse(runInNewContext("gc"));
  return () => {
    collect();
    const { heapUsed, arrayBuffers } = memoryUsage();
    return heapUsed + arrayBuffers;
  };
}

/** The bytes that live at once, besides the job itself, while its result is made in this process: the same engine. */
export async function liveMemory(): Promise<{ present: number; former: number }> {
  const encoder = new TextEncoder();
  const live = collector();
  const definition = largeJob();
  const tasks = definition.taskIds.map((taskId) => ({ taskId, lease: 1, output: largeCompletion().output }));
  const job: FinishedJob = { definition, tasks };
  const atRest = live();

  let present = 0;
  let pieces = 0;
  const signer = await presigner(BUCKET, { method: "GET", seconds: EXPIRES_IN, now: Date.now() });
  for await (const piece of resultJson(job, signer, EXPIRES_IN)) {
    pieces += 1;
    if (pieces % PIECES_PER_LOOK !== 0) continue;
    const chunk = encoder.encode(piece);
    present = Math.max(present, live() - atRest);
    if (chunk.length === 0) throw new Error("a piece is empty");
  }

  const whole = await formerResult(job, BUCKET, EXPIRES_IN);
  const body = encoder.encode(JSON.stringify(whole));
  const former = live() - atRest;
  if (body.length === 0 || !("assets" in whole)) throw new Error("there is no result");
  return { present, former };
}
