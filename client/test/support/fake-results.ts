import type { Context, Hono } from "hono";
import type { JobStatus } from "segmentation-client";
import { cocoOf } from "./fake-coco.ts";
import { CREATED_AT, type Job, originOf, refuse } from "./fake-answers.ts";
import { maskFile, ring } from "./shapes.ts";

const SIGNED_FOR_SECONDS = 900;

/** The parts of the fake service that results need. */
interface Rest {
  readonly jobOf: (c: Context) => Job;
  readonly statusOf: (job: Job) => JobStatus;
  /** The sum of an upload's bytes. */
  readonly sumOf: (taskId: string) => number;
}

/** The fake service's results, and the storage that has their files. */
export function fakeResults(app: Hono, { jobOf, statusOf, sumOf }: Rest): void {
  app.get("/v1/jobs/:jobId/result", (c) => {
    const { jobId, request } = jobOf(c);
    const status = statusOf(jobOf(c));
    if (status.status !== "success") return refuse(c, "job_not_ready");
    const assets: { key: string; url: string; expiresIn: number }[] = [];
    const sign = (key: string): string => {
      const url = new URL(
        `/storage/outputs/${jobId}/${key}?until=${Date.now() + SIGNED_FOR_SECONDS * 1_000}`,
        originOf(c),
      ).href;
      assets.push({ key, url, expiresIn: SIGNED_FOR_SECONDS });
      return url;
    };
    const ended = status.tasks.filter((task) => task.status === "success");
    const base = (taskId: string) => ({ taskId, inputId: taskId, units: 1, generatedAt: CREATED_AT });
    const preview = (taskId: string, ending: string) =>
      request.generatePreview ? { previewUrl: sign(`preview/${taskId}.${ending}`) } : {};
    if (request.formats?.includes("coco")) for (const { taskId } of ended) sign(`annotations/${taskId}.json`);
    const items =
      request.type === "image"
        ? ended.map(({ taskId }) => ({
            ...base(taskId),
            masks: namesOf(request, taskId).map((_, maskIndex) => ({
              maskIndex,
              confidence: 0.9 - maskIndex / 10,
              url: sign(`masks/${taskId}/${maskIndex}.png`),
            })),
            ...preview(taskId, "png"),
          }))
        : ended.map(({ taskId }) => ({
            ...base(taskId),
            masks: sign(`masks/${taskId}/masks.json`),
            scoreThreshold: 0,
            counts: { framesProcessed: 2, framesWithMasks: 2, totalMasks: 3 },
            ...preview(taskId, "mp4"),
          }));
    const manifest = { jobId, type: request.type, prompts: request.prompts ?? [], items };
    return c.json({ manifest, assets, expiresIn: SIGNED_FOR_SECONDS });
  });
  app.get("/storage/outputs/:jobId/:kind/:file{.+}", (c) => {
    const { request } = jobOf(c);
    if (Date.now() > Number(c.req.query("until")))
      return c.text("<Error><Code>ExpiredRequest</Code></Error>", 403);
    const [taskId = "", file = ""] = c.req.param("file").split("/");
    if (c.req.param("kind") === "preview") return c.body("a preview", 200, { "content-type": "image/png" });
    if (c.req.param("kind") === "annotations") {
      const id = taskId.replace(/\.json$/, "");
      const names = namesOf(request, id).map(({ keyword, text, label = keyword }) =>
        keyword === "prompt" ? text : label,
      );
      return c.json(cocoOf(id, request.type, names, sumOf(id)));
    }
    if (file === "masks.json") return c.json(masksJson(sumOf(taskId), namesOf(request, taskId)));
    const index = Number(file.split(".")[0]);
    const { keyword = "prompt", text = "", label } = namesOf(request, taskId)[index] ?? {};
    const png = maskFile(ring(sumOf(taskId), index), text, keyword, label);
    return c.body(png, 200, { "content-type": "image/png" });
  });
}

/** The prompt or region of each mask of a task: first the prompts, then the regions by their places in the request. */
function namesOf(
  request: Job["request"],
  taskId: string,
): readonly { readonly keyword: "prompt" | "region"; readonly text: string; readonly label?: string }[] {
  const { regions = [] } = request;
  return [
    ...(request.prompts ?? []).map((text) => ({ keyword: "prompt" as const, text })),
    ...regions.flatMap((region, i) =>
      region.taskId === taskId
        ? [
            {
              keyword: "region" as const,
              text: String(i),
              ...(region.label !== undefined && { label: region.label }),
            },
          ]
        : [],
    ),
  ];
}

/** Two frames: one ring stays, and another one is seen once. They are the first two of the request. */
function masksJson(number: number, names: ReturnType<typeof namesOf>): object {
  const of = (index: number): object => {
    const { keyword = "prompt", text = "", label } = names[index] ?? {};
    return keyword === "prompt" ? { promptIndex: index } : { regionIndex: Number(text), label };
  };
  const object = (objectId: number, index: number) => ({
    objectId,
    ...of(index),
    score: 0.8,
    box: [1.03, 2.1, 11.23, 22.3],
    rle: { size: [2, 3], counts: "024" },
  });
  return {
    version: 1,
    width: 3,
    height: 2,
    fps: 2,
    frames: [
      { sampleIdx: 0, frameIdx: 0, timeSec: 0, objects: [object(number, 0)] },
      { sampleIdx: 1, frameIdx: 12, timeSec: 0.5, objects: [object(number, 0), object(number + 1, 1)] },
    ],
  };
}
