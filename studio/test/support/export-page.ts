import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import type { BrowserContextOptions, Page } from "playwright-core";
import { draw, maskFile } from "../../../client/test/support/shapes.ts";
import { openPage, type StudioPage } from "../../../test/support/browser/studio.ts";
import type { Verdict } from "../../src/workspace/rules/review.ts";
import type { ExportScene } from "../browser/page/exporting.tsx";
import type { ServedPage } from "./serve-page.ts";

/** A picture of an entry: its file, its size, and its objects as ellipses in it. */
export interface DrawnPicture {
  readonly name: string;
  readonly file: Uint8Array | null;
  readonly width: number;
  readonly height: number;
  readonly verdict?: Verdict;
  readonly objects: readonly {
    readonly label: string | null;
    readonly isShown?: boolean;
    /** Middle and half axes in pixels. */
    readonly ellipse: readonly [x: number, y: number, across: number, down: number];
  }[];
}

/** The mask of an object. */
export const maskOfObject = (
  { width, height }: Pick<DrawnPicture, "width" | "height">,
  { ellipse: [x, y, across, down] }: DrawnPicture["objects"][number],
) => draw(width, height, (left, top) => Math.hypot((left - x) / across, (top - y) / down) < 1);

/** Opens the export dialog of an entry in a browser, and waits for its formats. */
export async function openExportOf(
  served: ServedPage,
  pictures: readonly DrawnPicture[],
  {
    prompts = ["cup"],
    open = null,
    ...options
  }: BrowserContextOptions & { readonly prompts?: string[]; readonly open?: string | null } = {},
): Promise<StudioPage> {
  served.put("v1/jobs/job_1/result", JSON.stringify({ assets: [] }));
  const scene: ExportScene = {
    prompts,
    classes: [],
    open,
    pictures: pictures.map((picture, i) => ({
      name: picture.name,
      url: picture.file === null ? null : served.put(`${i}.png`, picture.file),
      verdict: picture.verdict ?? null,
      objects: picture.objects.map((object, j) => ({
        url: served.put(`${i}-${j}.png`, maskFile(maskOfObject(picture, object), object.label ?? "")),
        label: object.label,
        isShown: object.isShown ?? true,
      })),
    })),
  };
  const opened = await openPage(served.url, { acceptDownloads: true, ...options });
  await opened.page.waitForFunction(() => window.viewer !== undefined);
  await opened.page.evaluate((given) => window.viewer.openExport(given), scene);
  await opened.page.getByRole("heading", { name: "COCO" }).waitFor();
  return opened;
}

/** Downloads by a click, and returns the files: those of a zip by their paths, or the one by its name. */
export async function downloaded(page: Page, button: string): Promise<Record<string, Uint8Array>> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    // After a download, its words follow.
    page.getByRole("button", { name: new RegExp(`^${button}(?:: |$)`) }).click(),
  ]);
  const content = new Uint8Array(await readFile(await download.path()));
  const name = download.suggestedFilename();
  return name.endsWith(".zip") ? unzipSync(content) : { [name]: content };
}
