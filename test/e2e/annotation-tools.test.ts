import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createClient } from "../../scripts/shared/api-client.ts";
import { at } from "../support/at.ts";
import { sample } from "../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";

const Results = z.object({
  results: z.array(
    z.object({
      model_version: z.string().min(1),
      result: z.array(z.object({ type: z.string(), score: z.number(), value: z.looseObject({}) })),
    }),
  ),
});
const Detected = z.array(
  z.object({ label: z.string(), points: z.array(z.number()), mask: z.array(z.number()) }),
);

/** On the saucer of the picture, in pixels: 600 by 400. */
const SAUCER = [120, 280] as const;

describe("annotation tools, by the whole stack", () => {
  let stack: SharedStack;
  let coffee: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    stack = await useSharedStack();
    coffee = sample("coffee");
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${stack.baseUrl}${path}`, {
      method: "POST",
      headers: {
        authorization: `Basic ${btoa(`anybody:${stack.apiKey}`)}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });

  it("give Label Studio the objects of its labels, and of a click, from one upload [A21-1]", async () => {
    const taskId = await createClient(stack).upload(coffee, "image/png");
    const predict = async (config: string, context: unknown) => {
      const tasks = [{ id: 1, data: { image: `upload:${taskId}` } }];
      const response = await post("/integrations/label-studio/predict", {
        tasks,
        label_config: `<View><Image name="image" value="$image"/>${config}</View>`,
        params: { context },
      });
      expect(response.status).toBe(200);
      return at(Results.parse(await response.json()).results, 0).result;
    };
    const boxes = '<RectangleLabels name="box" toName="image"><Label value="spoon"/></RectangleLabels>';
    expect(await predict(boxes, null)).toContainEqual(
      expect.objectContaining({
        type: "rectanglelabels",
        value: expect.objectContaining({ rectanglelabels: ["spoon"] }),
      }),
    );
    const size = { original_width: 600, original_height: 400 };
    const [x, y] = [SAUCER[0] / 6, SAUCER[1] / 4];
    const click = {
      ...size,
      type: "keypointlabels",
      is_positive: true,
      value: { x, y, keypointlabels: ["saucer"] },
    };
    const polygons = '<PolygonLabels name="line" toName="image"><Label value="saucer"/></PolygonLabels>';
    const drawn = await predict(polygons, { result: [click] });
    expect(drawn.length).toBeGreaterThan(0);
    expect(at(drawn, 0)).toMatchObject({ type: "polygonlabels", value: { polygonlabels: ["saucer"] } });
  });

  it("give CVAT the mask at a click, and the model's words, from the picture that it sends [A21-9]", async () => {
    const image = Buffer.from(coffee).toString("base64");
    const invoke = async (name: string, body: object): Promise<unknown> => {
      const response = await post(
        "/api/function_invocations",
        { image, ...body },
        { "x-nuclio-function-name": name },
      );
      expect(response.status).toBe(200);
      return response.json();
    };
    const clicks = { pos_points: [SAUCER], neg_points: [], obj_bbox: null };
    const { mask } = z
      .object({ mask: z.array(z.array(z.literal([0, 255])).length(600)).length(400) })
      .parse(await invoke("segmentation-interactor", clicks));
    expect(mask[SAUCER[1]]?.[SAUCER[0]]).toBe(255);
    const cat = Buffer.from(sample("chelsea")).toString("base64");
    const detected = Detected.parse(await invoke("segmentation-detector", { image: cat, threshold: 0.5 }));
    const { mask: cut, points } = at(
      detected.filter(({ label }) => label === "cat"),
      0,
    );
    const [left = 0, top = 0, right = 0, bottom = 0] = cut.slice(-4);
    expect(cut).toHaveLength((right - left + 1) * (bottom - top + 1) + 4);
    expect(points.length).toBeGreaterThanOrEqual(6);
  });
});
