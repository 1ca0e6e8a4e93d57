import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client";
import { PROJECT_ROOT } from "../../shared/root.ts";
import type { StackAddress } from "../../shared/state/state-folder.ts";
import type { BenchRequest } from "../arguments.ts";
import { formatSpread, markdownTable, spread } from "../report.ts";
import { timed } from "../timed.ts";
import { withStack } from "../with-stack.ts";

const PROMPTS = ["cup", "spoon"];

/** A way from a picture to the URLs of its masks. */
interface Way {
  readonly ofNew: (picture: Blob) => Promise<unknown>;
  readonly ofKnown: (taskId: string) => Promise<unknown>;
}

function inSteps(client: SegmentationClient): Way {
  const ofKnown = async (taskId: string): Promise<unknown> => {
    const { jobId } = await client.api.createJob({
      type: "image",
      tasks: [taskId],
      prompts: PROMPTS,
      formats: ["coco"],
    });
    await client.waitForJob(jobId);
    return client.api.retrieveJobResult({ jobId });
  };
  return { ofKnown, ofNew: async (picture) => ofKnown(await client.upload(picture)) };
}

function atOnce(client: SegmentationClient, { baseUrl, apiKey }: StackAddress): Way {
  return {
    ofKnown: (taskId) => client.api.segment({ image: { taskId }, prompts: PROMPTS }),
    ofNew: async (picture) => {
      const body = new FormData();
      body.append("image", picture);
      for (const prompt of PROMPTS) body.append("prompt", prompt);
      const headers = { authorization: `Bearer ${apiKey}` };
      const response = await fetch(`${baseUrl}/v1/segment`, { method: "POST", headers, body });
      if (response.status !== 200) throw new Error(`segment answered ${await response.text()}`);
      return response.json();
    },
  };
}

/** Returns a row of the report: the times of both ways, and their ratio within each round. */
const row = (label: string, pairs: readonly (readonly [number, number])[]): string[] => [
  label,
  formatSpread(spread(pairs.map(([one]) => one))),
  formatSpread(spread(pairs.map(([, steps]) => steps))),
  formatSpread(spread(pairs.map(([one, steps]) => one / steps)), 2),
];

/** Compares one request with its steps, from a picture to the URLs of its masks. Returns the report's lines. */
export async function benchSegment({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const sample = await readFile(join(PROJECT_ROOT, "samples", "coffee.png"));
  let made = 0;
  /** Returns the sample with a number behind its end: the same picture to people, a new one to the service. */
  const newPicture = (): Blob => new Blob([sample, String(made++)], { type: "image/png" });
  const runs: { readonly ofNew: readonly [number, number]; readonly ofKnown: readonly [number, number] }[] =
    [];
  await withStack(signal, async ({ address }) => {
    const client = new SegmentationClient(address);
    const ways = [atOnce(client, address), inSteps(client)] as const;
    for (const way of ways) await way.ofNew(newPicture());
    const taskId = await client.upload(newPicture());
    for (const way of ways) await way.ofKnown(taskId);
    const both = async (measure: (way: Way) => Promise<number>): Promise<[number, number]> => {
      const [one, steps] = ways;
      return [await measure(one), await measure(steps)];
    };
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      runs.push({
        ofNew: await both((way) => timed(() => way.ofNew(newPicture()))),
        ofKnown: await both((way) => timed(() => way.ofKnown(taskId))),
      });
    }
  });
  return [
    "",
    ...markdownTable(
      [`median [least–most] of ${rounds}`, "one request", "its steps", "÷"],
      [
        row(
          "new picture, ms",
          runs.map(({ ofNew }) => ofNew),
        ),
        row(
          "known picture, ms",
          runs.map(({ ofKnown }) => ofKnown),
        ),
      ],
    ),
  ];
}
