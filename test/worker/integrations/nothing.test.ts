import { describe, expect, it } from "vitest";
import { Invocation, regionOf } from "../../../src/integrations/cvat/invocation.ts";
import { drawingOf } from "../../../src/integrations/label-studio/context.ts";
import { PredictRequest } from "../../../src/integrations/label-studio/request.ts";
import { SCHEMAS } from "../../../src/integrations/mcp/schemas.ts";

const SPELLINGS = [undefined, null, "", []];

/** A request of a tool with one of its optional fields, by path, and without it. */
interface Case {
  readonly parse: (body: unknown) => unknown;
  readonly body: object;
  readonly fields: readonly string[];
}

const JOB = "job_01a223aecefd760aafa72d96890da7e6";
const URL = "https://pictures.test/a.png";
const drawn = { original_width: 40, original_height: 30, type: "keypointlabels", value: { x: 1, y: 2 } };

const ofTool = (name: keyof typeof SCHEMAS) => (body: unknown) => {
  const result = SCHEMAS[name].input["~standard"].validate(body);
  if (result instanceof Promise || result.issues !== undefined) throw new Error(JSON.stringify(result));
  return result.value;
};

const CASES: Readonly<Record<string, Case>> = {
  CVAT: {
    parse: (body) => Invocation.parse(body),
    body: { image: "AA==" },
    fields: ["threshold", "pos_points", "neg_points", "obj_bbox", "another"],
  },
  "Label Studio": {
    parse: (body) => PredictRequest.parse(body),
    body: {
      tasks: [{ data: { image: URL } }],
      label_config: "<View/>",
      params: { context: { result: [drawn] } },
    },
    fields: [
      "model_version",
      "project",
      "params",
      "params.login",
      "params.context",
      "params.context.result",
      "params.context.result.0.is_positive",
      "params.context.result.0.value.keypointlabels",
      "tasks.0.id",
      "tasks.0.data",
      "tasks.0.data.image",
      "tasks.0.annotations",
    ],
  },
  segment: {
    parse: ofTool("segment"),
    body: { image: { url: URL }, prompts: ["cup"] },
    fields: ["prompts", "points", "box", "threshold", "image.taskId", "image.base64", "image.mimeType"],
  },
  get_job: { parse: ofTool("get_job"), body: { jobId: JOB }, fields: ["waitSeconds"] },
  list_jobs: {
    parse: ofTool("list_jobs"),
    body: {},
    fields: ["limit", "nextToken", "status", "from", "to", "mode"],
  },
  get_masks: {
    parse: ofTool("get_masks"),
    body: { jobId: JOB },
    fields: ["taskId", "as", "tolerance", "from"],
  },
  export: { parse: ofTool("export"), body: { jobId: JOB }, fields: ["waitSeconds"] },
  create_upload: { parse: ofTool("create_upload"), body: { contentType: "image/png" }, fields: ["size"] },
  usage: { parse: ofTool("usage"), body: {}, fields: ["from", "to"] },
};

/** Returns the body with a value at a path; undefined removes it. */
function bodyWith(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body);
  const names = path.split(".");
  const parent = names.slice(0, -1).reduce<object>((each, name) => Reflect.get(each, name), copy);
  if (value === undefined) Reflect.deleteProperty(parent, names.at(-1) ?? "");
  else Reflect.set(parent, names.at(-1) ?? "", value);
  return copy;
}

describe("the optional fields of every bridge", () => {
  it.each(
    Object.entries(CASES).flatMap(([name, { parse, body, fields }]) =>
      fields.map((field) => [name, field, parse, body] as const),
    ),
  )("of %s: %s may be absent, null, an empty text or an empty list", (_name, field, parse, body) => {
    const absent = parse(bodyWith(body, field, undefined));
    for (const nothing of SPELLINGS) expect(parse(bodyWith(body, field, nothing))).toEqual(absent);
  });

  it("accept empty arguments of a tool", () => {
    for (const nothing of SPELLINGS) expect(ofTool("usage")(nothing)).toEqual({});
  });
});

/**
 * The bodies of a click in CVAT's editor. From version 2.69, at the latest, the page sends the corners of the drawn box, an array
 * that is empty without one, and the server passes them on; in 2.4 the server itself sends null.
 */
const CLICKS = {
  "2.4, a click": { pos_points: [[24, 12]], neg_points: [], obj_bbox: null },
  "2.69, a click": { pos_points: [[24, 12]], neg_points: [], obj_bbox: [] },
  "2.69, with a click next to the object": { pos_points: [[24, 12]], neg_points: [[2, 2]], obj_bbox: [] },
  "2.69, a click in a box": { pos_points: [[24, 12]], neg_points: [], obj_bbox: [[10, 5], [30, 20]] }, // prettier-ignore
  "2.69, a box": { pos_points: [], neg_points: [], obj_bbox: [[10, 5], [30, 20]] }, // prettier-ignore
  "2.69, a box drawn from its other corner": { pos_points: [], neg_points: [], obj_bbox: [[30, 20], [10, 5]] }, // prettier-ignore
};

describe("the requests of CVAT's editor", () => {
  it.each(Object.entries(CLICKS))("of %s is understood", (_name, { pos_points, neg_points, obj_bbox }) => {
    const region = regionOf(Invocation.parse({ image: "AA==", pos_points, neg_points, obj_bbox }));
    const points = [
      ...pos_points.map(([x, y]) => ({ x, y, label: 1 })),
      ...neg_points.map(([x, y]) => ({ x, y, label: 0 })),
    ];
    expect(region).toEqual(
      pos_points.length > 0 ? { points, picture: 0 } : { box: [10, 5, 20, 15], picture: 0 },
    );
  });

  it.each(SPELLINGS)("that points at nothing, %j, is told to click", (nothing) => {
    for (const neg_points of [nothing, [[1, 1]]])
      expect(() =>
        regionOf(Invocation.parse({ image: "AA==", pos_points: nothing, neg_points, obj_bbox: nothing })),
      ).toThrow("Click on the object, or draw a box.");
  });
});

describe("an empty drawing of Label Studio", () => {
  it.each(SPELLINGS)("is none: %j", (nothing) => {
    const request = {
      tasks: [{ data: {} }],
      label_config: "<View/>",
      params: { context: { result: nothing } },
    };
    const context = PredictRequest.parse(request).params?.context;
    expect(context === undefined ? null : drawingOf(context)).toBeNull();
  });
});
