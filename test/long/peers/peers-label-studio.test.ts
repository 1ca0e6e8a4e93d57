/** Label Studio itself, from PyPI, in the place of the tools that the short tests play. Needs Python 3.10 or newer with venv, and PyPI. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { iou, polygonsOfRuns, runsOfRle } from "@segmentation/masks";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createClient } from "../../../scripts/shared/api-client.ts";
import { needChromium } from "../../../scripts/shared/chromium.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { only, present } from "../../support/at.ts";
import { wordsOf } from "../../support/brush-words.ts";
import { pythonPackages } from "../../support/clients/peers/install.ts";
import {
  clickAndSubmit,
  connectModel,
  type LabelStudio,
  type Person,
  signIn,
  startLabelStudio,
} from "../../support/clients/peers/label-studio.ts";
import { type SpawnedStack, spawnStack } from "../../support/stack/spawn-stack.ts";

const exec = promisify(execFile);
const PICTURE = join(PROJECT_ROOT, "samples/coffee.png");
/** Clicked place in the picture, in percent. */
const CLICK = { x: 20, y: 70 };

const Walk = z.object({
  project: z.int(),
  task: z.int(),
  state: z.tuple([z.literal("CO"), z.string().min(1)]),
  prediction: z.tuple([z.string().min(1), z.int().positive(), z.string()]),
  pointed: z.object({ data: z.object({ result: z.array(z.looseObject({ type: z.string() })).min(1) }) }),
});
const Coco = z.object({
  annotations: z.array(
    z.object({
      bbox: z.array(z.number()),
      segmentation: z.union([
        z.array(z.array(z.number())),
        z.object({ size: z.array(z.number()), counts: z.string() }),
      ]),
    }),
  ),
});
const Named = z.object({ id: z.int() });
const Clicked = z.object({
  original_width: z.int(),
  original_height: z.int(),
  is_positive: z.boolean(),
  value: z.object({ x: z.number(), y: z.number() }),
});
const Asked = z.object({ context: z.object({ result: z.tuple([Clicked, Clicked]) }) });
const Brushes = z.array(
  z.object({
    id: z.string(),
    type: z.literal("brushlabels"),
    value: z.object({ format: z.literal("rle"), rle: z.array(z.int()), brushlabels: z.array(z.string()) }),
  }),
);
const Given = z.object({ data: z.object({ result: z.unknown() }) });

describe("Label Studio itself", () => {
  let folder: string;
  let studio: LabelStudio;
  let browser: Browser;
  let person: Person;
  let bin: string;
  let stack: SpawnedStack;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "label-studio-"));
    bin = await pythonPackages("label-studio==1.23.2");
    studio = await startLabelStudio(bin, folder);
    browser = await needChromium();
    person = await signIn(browser, studio.url);
    const start = (env: Record<string, string>) => spawnStack({ stateDir: join(folder, "state"), env });
    stack = await start({});
    const headers = { authorization: `Bearer ${stack.apiKey}` };
    const account = await (await fetch(`${stack.baseUrl}/v1/account`, { headers })).json();
    const { accountId } = z.object({ accountId: z.string() }).parse(account);
    await stack.stop();
    stack = await start({
      LABEL_STUDIO_URL: studio.url,
      LABEL_STUDIO_TOKEN: person.token,
      LABEL_STUDIO_ACCOUNTS: accountId,
    });
  });
  afterAll(async () => {
    await browser.close();
    await stack.kill();
    await studio.end();
    await rm(folder, { recursive: true });
  });

  it("predicts for its tasks, gets an answer to a click, and exports the found objects, from its files [A21-1 A21-5]", async () => {
    const script = join(PROJECT_ROOT, "test/support/clients/peers/label_studio.py");
    const env = {
      ...process.env,
      PICTURE,
      CLICK: JSON.stringify(CLICK),
      LABEL_STUDIO_TOKEN: person.token,
      SEGMENTATION_API_KEY: stack.apiKey,
    };
    const { stdout } = await exec(join(bin, "python"), [script, studio.url, stack.baseUrl, folder], { env });
    const walks = z.array(Walk).length(3).parse(JSON.parse(stdout));
    for (const [i, form] of ["brushlabels", "polygonlabels", "rectanglelabels"].entries()) {
      expect(walks[i]?.prediction[2]).toBe(form);
      expect(walks[i]?.pointed.data.result).toContainEqual(expect.objectContaining({ type: form }));
    }

    const client = createClient(stack);
    const results = await Promise.all(
      (await client.listJobs()).items.map(({ jobId }) => client.retrieveJobResult(jobId)),
    );
    const ours = present(
      results.find(({ manifest }) => manifest.prompts.length > 0),
      "job with words",
    );
    const asset = ours.assets.find(({ key }) => key.startsWith("annotations/"));
    const annotations = Coco.parse(await (await fetch(present(asset, "annotations").url)).json()).annotations;
    const exported = async (form: string) =>
      Coco.parse(JSON.parse(await readFile(join(folder, form), "utf8")));

    const mask = await pixelsOf(await (await fetch(only(only(ours.manifest.items).masks).url)).arrayBuffer());
    expect(await pixelsOf(await readFile(join(folder, "brushlabels")))).toEqual(mask);
    const rectangles = await exported("rectanglelabels");
    const near = (numbers: readonly number[]) => numbers.map((each) => expect.closeTo(each, 6));
    expect(rectangles.annotations.map(({ bbox }) => bbox)).toEqual(annotations.map(({ bbox }) => near(bbox)));
    const outlines = annotations.flatMap(({ segmentation }) =>
      "counts" in segmentation ? polygonsOfRuns(runsOfRle(segmentation), 1.5) : [],
    );
    const polygons = await exported("polygonlabels");
    expect(polygons.annotations.map(({ segmentation }) => segmentation)).toEqual(
      outlines.map(({ outline }) => [near(outline)]),
    );
  });

  it("shows the API's mask at a click in its page, keeps the person's submission, and reports a wrong key [A21-1 A21-2 A21-6]", async () => {
    const { page, post } = person;
    const label_config = present(
      /```xml\n([\s\S]*?)```/.exec(await readFile(join(PROJECT_ROOT, "docs/integrations.md"), "utf8"))?.[1],
      "interface",
    );
    const { id } = Named.parse(await post("/api/projects", { data: { title: "clicks", label_config } }));
    const buffer = await readFile(PICTURE);
    const file = { name: "coffee.png", mimeType: "image/png", buffer };
    await post(`/api/projects/${id}/import`, { multipart: { file } });
    const backend = `${stack.baseUrl}/integrations/label-studio`;
    await connectModel(page, id, backend, "sk_live_wrong");
    await page
      .getByText("authentication parameters were either not provided or are incorrect")
      .first()
      .waitFor();
    await connectModel(page, id, backend, stack.apiKey);
    await page.getByText("Connected", { exact: true }).waitFor();

    const listed = await (await page.request.get(`/api/tasks?project=${id}`)).json();
    const task = only(z.object({ tasks: z.array(Named) }).parse(listed).tasks).id;
    // The brush has its labels first, then the click.
    const cup = page.locator(".lsf-label", { hasText: "cup" }).nth(1);
    const { asked, given } = await clickAndSubmit(page, `/projects/${id}/data?task=${task}`, cup, [
      { x: 0.2, y: 0.7 },
      // At an empty place: a click on a region selects it.
      { x: 0.9, y: 0.2, isBeside: true },
    ]);
    const clicks = Asked.parse(asked).context.result;
    expect(clicks.map((click) => click.is_positive)).toEqual([true, false]);
    const [{ original_width: width, original_height: height }] = clicks;
    const [suggested] = Brushes.parse(Given.parse(given).data.result);
    const annotations = z
      .array(z.object({ result: Brushes }))
      .parse(await (await page.request.get(`/api/tasks/${task}/annotations`)).json());
    const kept = present(
      only(annotations).result.find((brush) => brush.id === suggested?.id),
      "annotation of what was suggested",
    );
    expect(kept.value.brushlabels).toEqual(["cup"]);

    const client = createClient(stack);
    const taskId = await client.upload(new Uint8Array(buffer), "image/png");
    const points = clicks.map(({ value: { x, y }, is_positive }) => ({
      x: (x / 100) * width,
      y: (y / 100) * height,
      label: is_positive ? (1 as const) : (0 as const),
    }));
    const regions = [{ taskId, points }];
    const { jobId } = await client.createImageJob({ tasks: [taskId], regions });
    await client.waitForJob(jobId);
    const { manifest } = await client.retrieveJobResult(jobId);
    const mask = await fetch(only(only(manifest.items).masks).url);
    const data = new Uint8Array(await pixelsOf(await mask.arrayBuffer()));
    const words = Uint8Array.from(wordsOf(kept.value.rle));
    const brush = words.filter((_, i) => i % 4 === 3);
    expect(iou({ width, height, data: brush }, { width, height, data })).toBeGreaterThan(0.99);
  });
});

async function pixelsOf(png: Uint8Array | ArrayBuffer): Promise<Buffer> {
  return await sharp(png).extractChannel(0).raw().toBuffer();
}
