import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { encodeRle } from "@segmentation/masks";
import { expect, it, onTestFinished } from "vitest";
import { ImageResult, SegmentationClient } from "../../client/src/node/index.ts";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { startCommandLine } from "../support/clients/command-line.ts";
import { pythonWith } from "../support/clients/python.ts";
import { sample } from "../support/media/sample.ts";
import { useSharedStack } from "../support/stack/shared-stack.ts";

const PYTHON = `
import json, sys
from segmentation_client import Client

coco = Client().result(sys.argv[1], annotated=True).to_coco(annotated=True)
print(json.dumps(coco, separators=(",", ":"), ensure_ascii=False))
`;

it("corrections saved through the API are in the COCO documents of both clients and the command line", async () => {
  const { baseUrl, apiKey } = await useSharedStack();
  const client = new SegmentationClient({ baseUrl, apiKey });
  const files = (["chelsea", "coffee"] as const).map((name) => new File([sample(name)], `${name}.png`));
  const found = await client.segment(files, ["cat", "cup", "spoon"]);
  const [cat, coffee] = found.pictures;
  const cup = coffee?.masks.find(({ prompt }) => prompt === "cup") ?? expect.fail();
  const spoon = coffee?.masks.find(({ prompt }) => prompt === "spoon") ?? expect.fail();
  const { width, height, data } = await cup.bitmap();
  const upper = data.map((value, i) => (i < (cup.box[1] + cup.box[3] / 2) * width ? value : 0));
  const mask = encodeRle({ width, height, data: upper });

  const document = {
    format: 1,
    classes: [
      { id: 3, name: "cup" },
      { id: 5, name: "Löffel" },
    ],
    nextClassId: 8,
    searches: [],
    tasks: [
      {
        taskId: cat?.taskId,
        fileName: "chelsea.png",
        objects: cat?.masks.map(({ index }) => ({ id: `${found.jobId}/${index}`, hidden: true })),
      },
      {
        taskId: coffee?.taskId,
        fileName: "coffee.png",
        objects: [
          { id: `${found.jobId}/${cup.index}`, mask },
          { id: `${found.jobId}/${spoon.index}`, classId: 5 },
        ],
      },
    ],
  };
  const put = await fetch(`${baseUrl}/v1/jobs/${found.jobId}/annotations`, {
    method: "PUT",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "if-match": '"0"' },
    body: JSON.stringify({ document }),
  });
  expect([put.status, put.headers.get("etag")]).toEqual([200, '"1"']);

  const result = await client.result(found.jobId);
  if (!(result instanceof ImageResult)) expect.fail("the job is of pictures");
  const coco = await result.coco({ annotated: true });
  expect(coco.images.map(({ file_name }) => file_name)).toEqual(["chelsea.png", "coffee.png"]);
  expect(coco.categories).toEqual(document.classes);
  expect(coco.annotations.map(({ image_id }) => image_id)).toEqual(coffee?.masks.map(() => 2));
  expect(coco.annotations).toMatchObject([
    { category_id: 3, score: cup.confidence, segmentation: mask, area: upper.filter(Boolean).length },
    { category_id: 5, score: spoon.confidence, segmentation: await spoon.rle(), bbox: spoon.box },
  ]);

  const folder = await mkdtemp(join(tmpdir(), "corrections-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { SEGMENTATION_BASE_URL: baseUrl, SEGMENTATION_API_KEY: apiKey, HOME: folder };
  const { ended } = startCommandLine(["job", found.jobId, "--save", "out", "--annotated"], env, folder);
  expect(await ended).toMatchObject({ code: 0 });
  const bytes = JSON.stringify(coco);
  expect(await readFile(join(folder, "out/annotations.json"), "utf8")).toBe(bytes);

  const python = pythonWith("httpx");
  if (python === null) return console.log("This machine has no Python with httpx: its client is not tested.");
  const paths = { PYTHONPATH: join(PROJECT_ROOT, "python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  const options = { env: { ...process.env, ...env, ...paths, PYTHONIOENCODING: "utf-8" } };
  const { stdout } = await promisify(execFile)(python, ["-c", PYTHON, found.jobId], options);
  expect(stdout).toBe(`${bytes}\n`);
});
