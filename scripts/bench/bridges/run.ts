import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client";
import { PROJECT_ROOT } from "../../shared/root.ts";
import type { BenchRequest } from "../arguments.ts";
import { formatSpread, markdownTable, spread } from "../report.ts";
import { withStack } from "../with-stack.ts";

type Point = readonly [x: number, y: number];

/** The sample picture's size, and points on it, in pixels. */
const [WIDTH, HEIGHT] = [600, 400];
const POINTS: readonly Point[] = [
  [250, 120],
  [365, 290],
  [40, 30],
  [480, 60],
  [430, 330],
];
const INTERFACE = `<View><Image name="image" value="$image"/>
  <BrushLabels name="mask" toName="image"><Label value="object"/></BrushLabels></View>`;

/** How long one click took by each way, in milliseconds. */
interface Run {
  readonly api: number;
  readonly labelStudio: number;
  readonly cvat: number;
}

/** Measures a click through the bridges, and the same region through the API, until its shape is there; the report's lines. */
export async function benchBridges({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const runs: Run[] = [];
  await withStack(signal, async ({ address }) => {
    const client = new SegmentationClient(address);
    const sample = await readFile(join(PROJECT_ROOT, "samples", "coffee.png"));
    const taskId = await client.upload(new Blob([sample], { type: "image/png" }));
    const image = sample.toString("base64");
    const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const authorization = `Basic ${btoa(`anybody:${address.apiKey}`)}`;
      const response = await fetch(`${address.baseUrl}${path}`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
        signal,
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      await response.json();
    };
    /** As a client does it that knows jobs. */
    const api = async ([x, y]: Point) => {
      const regions = [{ taskId, points: [{ x, y, label: 1 as const }] }];
      const { jobId } = await client.api.createJob({
        type: "image",
        tasks: [taskId],
        regions,
        formats: ["coco"],
      });
      await client.waitForJob(jobId);
      const { assets } = await client.api.retrieveJobResult({ jobId });
      const { url = "" } = assets.find(({ key }) => key.startsWith("annotations/")) ?? {};
      await (await fetch(url, { signal })).json();
    };
    const labelStudio = async ([x, y]: Point) => {
      const size = { original_width: WIDTH, original_height: HEIGHT };
      const value = { x: (100 * x) / WIDTH, y: (100 * y) / HEIGHT, keypointlabels: ["object"] };
      await post("/integrations/label-studio/predict", {
        tasks: [{ id: 1, data: { image: `upload:${taskId}` } }],
        label_config: INTERFACE,
        params: { context: { result: [{ ...size, type: "keypointlabels", is_positive: true, value }] } },
      });
    };
    const cvat = async (point: Point) => {
      const clicks = { image, pos_points: [point], neg_points: [], obj_bbox: null };
      await post("/api/function_invocations", clicks, {
        "x-nuclio-function-name": "segmentation-interactor",
      });
    };
    const ways = { api, labelStudio, cvat };
    // The first look at the picture is not part of this.
    for (const way of Object.values(ways)) await way([300, 200]);
    for (let round = 0; round < rounds; round++)
      for (const [i, point] of POINTS.entries()) {
        const run = { api: 0, labelStudio: 0, cvat: 0 };
        const names = ["api", "labelStudio", "cvat"] as const;
        // Each way is first, second and last equally often.
        for (const place of names.keys()) {
          const name = names[(place + i + round) % names.length] ?? "api";
          const begun = performance.now();
          await ways[name](point);
          run[name] = performance.now() - begun;
        }
        runs.push(run);
      }
  });
  const row = (title: string, timeOf: (run: Run) => number): string[] => [
    title,
    formatSpread(spread(runs.map(timeOf))),
    formatSpread(spread(runs.map((run) => timeOf(run) / run.api)), 2),
  ];
  return [
    "",
    ...markdownTable(
      [`median [least–most] of ${runs.length}`, "from the click to its shape, ms", "÷ API"],
      [
        row("API", ({ api }) => api),
        row("Label Studio", ({ labelStudio }) => labelStudio),
        row("CVAT", ({ cvat }) => cvat),
      ],
    ),
  ];
}
