import { execFileSync } from "node:child_process";
import type { CreateJobRequest } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { parseRegion } from "../../../../client/src/cli/segment/region.ts";
import { commandLine } from "../../../src/export/code/command-line.ts";
import { curlCode } from "../../../src/export/code/curl.ts";
import type { ExportedJob } from "../../../src/export/code/exported-job.ts";
import { pythonCode } from "../../../src/export/code/python.ts";
import { typescriptCode } from "../../../src/export/code/typescript.ts";

const BASE = "https://segmentation.example.com";

function exportedJob(request: CreateJobRequest, names: readonly string[]): ExportedJob {
  const sources = new Map(request.tasks.map((taskId, i) => [taskId, names[i] ?? taskId]));
  return { request, sources, isComplete: true };
}

const PICTURES = exportedJob(
  {
    type: "image",
    prompts: ["cup", `it's a "red" $spoon`],
    tasks: ["a.png", "b.jpg"],
    threshold: 0.4,
    maskThreshold: 0.5,
    generatePreview: true,
    formats: ["yolo"],
  },
  ["coffee cup's.png", "https://example.com/b.jpg?x=1&y=2"],
);
const POINTED = exportedJob(
  {
    type: "image",
    tasks: ["a.png", "b.png"],
    regions: [
      { taskId: "b.png", box: [1, 2, 30, 40] },
      { taskId: "a.png", points: [{ x: 5, y: 6, label: 1 }] },
    ],
    generatePreview: false,
    threshold: 0.5,
    maskThreshold: 0.5,
  },
  ["a.png", "b.png"],
);
const CLIP = exportedJob(
  {
    type: "video",
    prompts: ["person"],
    tasks: ["c.mp4"],
    fps: 2,
    scoreThreshold: 0.3,
    generatePreview: false,
  },
  ["crossing.mp4"],
);

/** A video in which an object is pointed at twice, and another one is boxed. */
const FOLLOWED = exportedJob(
  {
    type: "video",
    tasks: ["c.mp4"],
    regions: [
      {
        taskId: "c.mp4",
        points: [
          { x: 5, y: 6, label: 1 },
          { x: 7, y: 8, label: 0 },
        ],
        timeSeconds: 0.5,
        objectId: 1,
        label: "red saucer",
      },
      {
        taskId: "c.mp4",
        points: [{ x: 9, y: 6, label: 1 }],
        timeSeconds: 2,
        objectId: 1,
        label: "red saucer",
      },
      { taskId: "c.mp4", box: [1, 2, 30, 40], timeSeconds: 0, objectId: 2 },
    ],
  },
  ["crossing.mp4"],
);

/** Returns the requests of a script, by a curl that writes down its arguments in place of sending, and answers with what the script needs. */
function sentBy(script: string): string[][] {
  const curl = `curl() {
    printf '%s\\0' "$@" END >> "$LOG"
    case "\${@: -1}" in
      *storage*) ;;
      *presign*) echo '{"taskId": "task-of-upload", "uploadUrl": "https://storage.example.com/put"}' ;;
      *import*) echo '{"taskId": "task-of-import"}' ;;
      *result*) echo '{"assets": [{"key": "masks/1.png", "url": "https://storage.example.com/get"}]}' ;;
      *) echo '{"jobId": "job_1", "status": "success"}' ;;
    esac
  }`;
  const log = execFileSync("bash", ["-c", `LOG=$(mktemp); ${curl}\n${script}\ncat "$LOG"; rm "$LOG"`], {
    encoding: "utf8",
    env: { ...process.env, SEGMENTATION_API_KEY: "the-key" },
  });
  return log
    .split("END\0")
    .slice(0, -1)
    .map((call) =>
      call
        .replace(/^(?:job_1\n)/, "")
        .split("\0")
        .slice(0, -1),
    );
}

const bodyOf = (call: readonly string[]): unknown => JSON.parse(call[call.indexOf("--json") + 1] ?? "");

describe("the code of a job", () => {
  it("as curl uploads, imports, creates the same job, waits and saves", () => {
    const calls = sentBy(curlCode(PICTURES, BASE));
    expect(calls.map((call) => call.find((word) => word.startsWith("https://")))).toEqual([
      `${BASE}/v1/uploads/presign`,
      "https://storage.example.com/put",
      `${BASE}/v1/uploads/import`,
      `${BASE}/v1/jobs`,
      `${BASE}/v1/jobs/job_1`,
      `${BASE}/v1/jobs/job_1/result`,
      "https://storage.example.com/get",
    ]);
    const [presign = [], put = [], fetched = [], create = []] = calls;
    expect(bodyOf(presign)).toEqual({ contentType: "image/png" });
    expect(put).toContain("coffee cup's.png");
    expect(bodyOf(fetched)).toEqual({ url: "https://example.com/b.jpg?x=1&y=2" });
    expect(bodyOf(create)).toEqual({
      ...PICTURES.request,
      tasks: ["task-of-upload", "task-of-import"],
    });
    expect(create).toContain("Authorization: Bearer the-key");
  });

  it("gives each region the task of its file, in each language", () => {
    const script = curlCode(POINTED, BASE).replace("TASK_2=$(upload", "TASK_2=second-$(upload");
    expect(bodyOf(sentBy(script)[4] ?? [])).toMatchObject({
      tasks: ["task-of-upload", "second-task-of-upload"],
      regions: [{ taskId: "second-task-of-upload" }, { taskId: "task-of-upload" }],
    });
    expect(typescriptCode(POINTED, BASE)).toContain("{ input: 1, box: [1, 2, 30, 40] }");
    expect(pythonCode(POINTED, BASE)).toContain('{"taskId": tasks[1], "box": [1, 2, 30, 40]}');
  });

  it("tracks the pointed objects of a video, by its new upload, in each language", () => {
    expect(bodyOf(sentBy(curlCode(FOLLOWED, BASE))[2] ?? [])).toEqual({
      type: "video",
      tasks: ["task-of-upload"],
      regions: FOLLOWED.request.regions?.map((region) => ({ ...region, taskId: "task-of-upload" })),
    });
    expect(pythonCode(FOLLOWED, BASE)).toContain('"timeSeconds": 0.5');
    const call = typescriptCode(FOLLOWED, BASE);
    expect(call).toContain("const prompts = [];");
    expect(call).toContain("{ box: [1, 2, 30, 40], timeSeconds: 0, objectId: 2 }");
    expect(call).not.toContain("taskId");
    const options = [...(commandLine(FOLLOWED, BASE).code ?? "").matchAll(/--region ('.*'|\S+)/g)];
    const taskId = "c.mp4";
    expect(options.map(([, text = ""]) => ({ taskId, ...parseRegion(text.replaceAll("'", "")) }))).toEqual(
      FOLLOWED.request.regions,
    );
  });

  it("as TypeScript is one call, with the options that the job had", () => {
    expect(typescriptCode(PICTURES, BASE))
      .toContain(`const files = ["coffee cup's.png", "https://example.com/b.jpg?x=1&y=2"];
const prompts = ["cup", "it's a \\"red\\" $spoon"];
const result = await client.segment(files, prompts, {
  threshold: 0.4,`);
    expect(typescriptCode(CLIP, BASE)).toContain(
      'client.segmentVideo("crossing.mp4", prompts, { fps: 2, scoreThreshold: 0.3 })',
    );
  });

  it("as Python is a program", () => {
    const programs = [PICTURES, POINTED, CLIP, FOLLOWED].map((each) => pythonCode(each, BASE));
    execFileSync(
      "python3",
      ["-c", "import ast, json, sys; [ast.parse(each) for each in json.load(sys.stdin)]"],
      {
        input: JSON.stringify(programs),
      },
    );
  });

  it("as a command names files, prompts and options", () => {
    expect(commandLine(PICTURES, BASE).code?.split("\n").slice(1, -1)).toEqual([
      "npx --no-install segmentation-client segment \\",
      String.raw`  'coffee cup'\''s.png' \ `.trimEnd(),
      "  'https://example.com/b.jpg?x=1&y=2' \\",
      "  -p cup \\",
      String.raw`  -p 'it'\''s a "red" $spoon' \ `.trimEnd(),
      "  --threshold 0.4 \\",
      "  --format png,coco,yolo \\",
      "  --preview \\",
      "  --base-url https://segmentation.example.com",
    ]);
    expect(commandLine(CLIP, BASE).code).toContain(
      "crossing.mp4 \\\n  -p person \\\n  --threshold 0.3 \\\n  --fps 2",
    );
  });

  it("is no command if the command line can't say it", () => {
    expect(commandLine(POINTED, BASE)).toEqual({ code: null, note: expect.stringContaining("boxes") });
    const { request, ...rest } = POINTED;
    if (request.type !== "image") throw new TypeError("not of pictures");
    const boxes = request.tasks.map((taskId) => ({
      taskId,
      box: [1, 2, 3, 4] as [number, number, number, number],
    }));
    expect(commandLine({ ...rest, request: { ...request, regions: boxes } }, BASE).code).toContain(
      "--region 1,2,3,4",
    );
  });

  it("has the key in the environment alone", () => {
    const command = commandLine(PICTURES, BASE).code ?? "";
    for (const code of [
      curlCode(PICTURES, BASE),
      typescriptCode(PICTURES, BASE),
      pythonCode(PICTURES, BASE),
      command,
    ])
      expect(code).toContain("SEGMENTATION_API_KEY");
  });
});
