import { rowRunsOf } from "@segmentation/masks";
import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { draw, maskFile } from "../../../../client/test/support/shapes.ts";
import { featheredAt } from "../../../src/render/feather.ts";
import { pathDataOf, svgOf } from "../../../src/render/svg.ts";

const SIZE = { width: 12, height: 9 };

describe("a feathered edge", () => {
  const data = Uint8Array.from({ length: SIZE.width * SIZE.height }, (_, i) => Number(i % SIZE.width < 6));
  const at = (x: number): number => featheredAt({ ...SIZE, data }, x, 4);

  it("is a pixel wide, inside of the mask, so that nothing of the background is seen", () => {
    expect([3, 4, 5, 6, 7].map(at)).toEqual([1, 1, 2 / 3, 0, 0]);
  });

  it("does not run along the picture's border", () => {
    expect(featheredAt({ ...SIZE, data }, 0, 0)).toBe(1);
  });
});

describe("outlines as SVG", () => {
  it("cover exactly the mask's pixels, with its holes", async () => {
    const pixels = fc.uint8Array({ min: 0, max: 1, minLength: 108, maxLength: 108 });
    await fc.assert(
      fc.asyncProperty(pixels, async (data) => {
        const path = pathDataOf(rowRunsOf({ ...SIZE, data }));
        const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="12" height="9" fill-rule="evenodd" shape-rendering="crispEdges"><path fill="#fff" d="${path}"/></svg>`;
        const drawn = await sharp(Buffer.from(svg)).extractChannel("alpha").raw().toBuffer();
        expect([...drawn].map((alpha) => Number(alpha > 127))).toEqual([...data]);
      }),
      { numRuns: 30 },
    );
  });

  it("name each object, and have its color", async () => {
    const png = new Blob([
      maskFile(
        draw(12, 9, (x, y) => x < 4 && y < 3),
        "cup",
      ),
    ]);
    const [file] = await svgOf([{ png, rgb: [1, 2, 3], title: "cup & <saucer>" }]);
    const text = (await file?.text()) ?? "";
    expect(text).toContain('<path fill="rgb(1,2,3)" d="M0 1V0H4V3H0V1Z">');
    expect(text).toContain("<title>cup &amp; &lt;saucer&gt;</title>");
    expect(await svgOf([])).toEqual([]);
  });
});
