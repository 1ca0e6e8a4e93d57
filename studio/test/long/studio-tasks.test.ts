/**
 * Three people's tasks in the studio, at each width and in each theme, by hand and by keyboard alone: a data set on which YOLO
 * trains, cut-outs, and an object in a video. Prints the clicks or key presses and the units of each.
 */
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  closeBrowser,
  coveringPictures,
  openStudio,
  seriousFindings,
} from "../../../test/support/browser/studio.ts";
import { formatTable } from "../../../scripts/shared/table.ts";
import { panClip } from "../../../test/support/media/pan-clip.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { type Input, Person } from "../support/person.ts";
import { makeCutOuts, makeYolo, trackObject } from "../support/tasks.ts";
import { printedBy, trainingTools } from "../support/training-tools.ts";

/** A way to work: at a width, in a theme, with an input. */
interface Way {
  readonly width: 390 | 1280 | 1920;
  readonly theme: "light" | "dark";
  readonly input: Input;
}

const HEIGHTS = { 390: 844, 1280: 800, 1920: 1080 } as const;

/** The ways, each with its name. */
const WAYS: readonly (readonly [string, Way])[] = ([1280, 390, 1920] as const).flatMap((width) =>
  (["light", "dark"] as const).flatMap((theme) =>
    (["hand", "keys"] as const).map(
      (input) => [`${width} px, ${theme}, by ${input}`, { width, theme, input }] as const,
    ),
  ),
);

/** The whole task is done once: elsewhere three photos have the same screens. */
const photosOf = ({ width, theme, input }: Way, all: number): number =>
  width === 1280 && theme === "light" && input === "hand" ? all : 3;

const CLIP = { name: "cat.mp4", mimeType: "video/mp4", buffer: Buffer.from(panClip(1)) };
const CLIP_FRAMES = 2;

const textOf = (content: Uint8Array | undefined): string => new TextDecoder().decode(content);

describe("in the studio", () => {
  let stack: SharedStack;
  const rows: (readonly (string | number)[])[] = [];
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(async () => {
    await closeBrowser();
    const heading = ["task", "photos or frames", "px", "theme", "by", "clicks or keys", "units"];
    console.log(formatTable(heading, rows).join("\n"));
  });

  const open = async ({ width, theme, input }: Way) => {
    const isTouch = width === 390 && input === "hand";
    const { page, complaints } = await openStudio(stack, "/studio", {
      acceptDownloads: true,
      viewport: { width, height: HEIGHTS[width] },
      colorScheme: theme,
      permissions: ["clipboard-read", "clipboard-write"],
      ...(isTouch && { hasTouch: true, isMobile: true }),
    });
    const person = new Person(page, input, { isTouch, frames: CLIP_FRAMES });
    /** Finds nothing that is hard to see, covered or cut off. */
    const look = async (): Promise<void> => {
      await page.evaluate("scrollTo(0, 0)");
      expect(await seriousFindings(page)).toEqual([]);
      expect(await coveringPictures(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    };
    /** Nothing failed, and it cost what it should. */
    const ended = (task: string, of: number, units: number): void => {
      rows.push([task, of, width, theme, input, person.acts, person.units]);
      expect(person.units).toBe(units);
      expect(complaints).toEqual([]);
    };
    return { page, person, look, ended };
  };

  it.each(WAYS)("a data engineer makes a YOLO set of photos: %s", async (_, way) => {
    const count = photosOf(way, 30);
    const { person, look, ended } = await open(way);
    const files = await makeYolo(person, count, look);
    const labels = Object.entries(files).filter(([path]) => path.startsWith("labels/"));
    expect(labels).toHaveLength(count);
    const numbers = labels.flatMap(([, content]) => textOf(content).match(/^\d+/gm) ?? []);
    expect([...new Set(numbers)].toSorted()).toEqual(["0", "1", "2"]);
    expect(textOf(files["data.yaml"])).toContain('0: "cup"\n  1: "cat"\n  2: "person"\n');
    ended("YOLO", count, 2 * count);
    if (count < 30) return;

    const programs = await trainingTools().catch((error: unknown) =>
      console.warn(`The set was not trained on, because PyPI could not be reached: ${String(error)}`),
    );
    if (programs === undefined) return;
    const found = JSON.parse(await printedBy("train_yolo.py", programs, files));
    expect(found.names).toEqual(["cup", "cat", "person"]);
    expect(found.trained + found.validated).toBe(count);
    expect(found.objects + found.validated_objects).toBe(numbers.length);
  });

  it.each(WAYS)("a designer makes cut-outs on a colored page: %s", async (_, way) => {
    const count = photosOf(way, 10);
    const { page, person, look, ended } = await open(way);
    const files = await makeCutOuts(person, count, look);
    const names = Object.keys(files);
    expect(new Set(names.map((name) => name.split("/")[1])).size).toBe(count);
    const { data } = await sharp(files[names[0] ?? ""])
      .raw()
      .toBuffer({ resolveWithObject: true });
    // The corner is behind the object.
    expect([...data.subarray(0, 4)]).toEqual([0x33, 0x66, 0xcc, 255]);
    const copied = await page.evaluate("navigator.clipboard.read().then(([item]) => item.types)");
    expect(copied).toEqual(["image/png"]);
    ended("Cut-outs", count, count);
  });

  it.each(WAYS)("a video editor has an object tracked, and corrects it: %s", async (_, way) => {
    const { person, look, ended } = await open(way);
    const { coco, mattes } = await trackObject(person, CLIP, look);
    expect(coco).toMatchObject({ annotations: [{}, {}], categories: [{ id: 1, name: "cat" }] });
    expect(mattes).toHaveLength(2 * CLIP_FRAMES);
    ended("Video", CLIP_FRAMES, 1 + 2 * CLIP_FRAMES);
  });
});
