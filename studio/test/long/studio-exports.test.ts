/** Data sets of the studio, in the tools that train on them, from PyPI. Needs Python 3.10 or newer with venv, and PyPI (3 GB once). */
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser } from "../../../test/support/browser/studio.ts";
import { downloaded, type DrawnPicture, maskOfObject, openExportOf } from "../support/export-page.ts";
import { type ServedPage, servePage } from "../support/serve-page.ts";
import { printedBy, trainingTools } from "../support/training-tools.ts";

const SIZE = { width: 160, height: 120 };
const COLORS: Readonly<Record<string, string>> = {
  cup: "#c03020",
  cat: "#2060c0",
  "traffic light": "#30a040",
};
const CLASSES = Object.keys(COLORS);

/** Pictures with one to three ellipses each, one without any object, and one with a hidden object. */
const ENTRY: readonly Omit<DrawnPicture, "file">[] = Array.from({ length: 16 }, (_, i) => ({
  ...SIZE,
  name: `picture ${i}.png`,
  objects:
    i % 8 === 0
      ? []
      : Array.from({ length: 1 + (i % 3) }, (_each, j) => ({
          label: CLASSES[(i + j) % 3] ?? null,
          isShown: !(i === 5 && j === 0),
          ellipse: [30 + 50 * j, 30 + 4 * i, 14 + j, 10 + (i % 5)] as const,
        })),
}));

/** Draws the file of a picture. */
async function withFile(picture: Omit<DrawnPicture, "file">): Promise<DrawnPicture> {
  const { width, height, objects } = picture;
  const shapes = objects.map(
    ({ label, ellipse: [x, y, across, down] }) =>
      `<ellipse cx="${x}" cy="${y}" rx="${across}" ry="${down}" fill="${COLORS[label ?? ""]}"/>`,
  );
  const svg = `<svg width="${width}" height="${height}" xmlns="http://www.w3.org/2000/svg"><rect width="100%" height="100%" fill="#ddd"/>${shapes.join("")}</svg>`;
  return { ...picture, file: await sharp(Buffer.from(svg)).png().toBuffer() };
}

describe("a data set of the studio", () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
  });
  afterAll(async () => {
    await closeBrowser();
    await served.close();
  });

  it("agrees with the screen in pycocotools, Supervision and Ultralytics, which trains on it", async ({
    skip,
  }) => {
    const programs = await trainingTools().catch((error: unknown) =>
      skip(`PyPI could not be reached: ${String(error)}`),
    );
    const pictures = await Promise.all(ENTRY.map(withFile));
    const { page } = await openExportOf(served, pictures, { prompts: CLASSES });
    await page.getByLabel("With the pictures").check();
    await page.getByLabel("Split into train and val").check();
    const printed = await printedBy("check-exports.py", programs, await downloaded(page, "Download ZIP"));
    const { ultralytics, train, val } = JSON.parse(printed);
    console.log(printed);

    // By picture, its objects' classes and boxes, as they are on the screen.
    const shown = new Map(
      ENTRY.map((picture) => [
        picture.name,
        picture.objects
          .filter(({ isShown }) => isShown !== false)
          .map((object) => {
            const { data } = maskOfObject(picture, object);
            const set = [...data.keys()].filter((at) => data[at] !== 0);
            const [across, down] = [
              set.map((at) => at % SIZE.width),
              set.map((at) => Math.floor(at / SIZE.width)),
            ];
            return { label: object.label, area: set.length, across, down };
          }),
      ]),
    );
    for (const part of [train, val]) {
      expect(part.categories).toEqual(CLASSES);
      expect(part.classes).toEqual(CLASSES);
      expect(part.areas).toEqual(part.documented);
      expect(part.precision).toBeCloseTo(1, 6);
      expect(part.overlap).toBeGreaterThan(0.9);
    }
    const all: Record<string, [string, number, number, number, number][]> = { ...train.coco, ...val.coco };
    expect(Object.keys(all)).toHaveLength(ENTRY.length);
    for (const [name, objects] of Object.entries(all)) {
      const expected = (shown.get(name) ?? []).map(({ label, across, down }) => [
        label,
        Math.min(...across),
        Math.min(...down),
        Math.max(...across) + 1,
        Math.max(...down) + 1,
      ]);
      expect(new Set(objects.map(String))).toEqual(new Set(expected.map(String)));
    }
    for (const format of ["yolo", "voc"]) {
      const others: typeof all = { ...train[format], ...val[format] };
      for (const [name, objects] of Object.entries(others)) {
        expect(
          objects.map(([label]) => label),
          `${format} ${name}`,
        ).toEqual(all[name]?.map(([label]) => label));
        for (const [i, [, ...box]] of objects.entries())
          for (const [j, side] of box.entries())
            expect(Math.abs(side - Number(all[name]?.[i]?.[j + 1])), `${format} ${name}`).toBeLessThanOrEqual(
              1,
            );
      }
    }
    expect(ultralytics.names).toEqual(CLASSES);
    expect(ultralytics.trained + ultralytics.validated).toBe(ENTRY.length);
    expect(ultralytics.objects).toBe(train.areas.length);
    expect(ultralytics.empty).toBe(1);
  });
});
