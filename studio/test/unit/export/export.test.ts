import type { CreateJobRequest } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { againWith, offersOf, type Stock } from "../../../src/export/files/offers.ts";

const PICTURE: Stock = {
  type: "image",
  taskIds: ["a.jpg"],
  keys: ["masks/a.jpg/0.png", "masks/b.jpg/0.png"],
  masks: 1,
  hasOriginals: true,
};

const waysOf = (stock: Partial<Stock>): Record<string, string> =>
  Object.fromEntries(offersOf({ ...PICTURE, ...stock }).map(({ id, way }) => [id, way.kind]));

describe("the offered downloads", () => {
  it("is made here where masks and the original suffice", () => {
    expect(waysOf({})).toMatchObject({
      masks: "made",
      coco: "made",
      cutout: "made",
      preview: "made",
      yolo: "made",
      labelmap: "made",
    });
  });

  it("is for people: no embeddings", () => {
    expect(Object.keys(waysOf({}))).not.toContain("embedding");
  });

  it("is made here of masks alone if the original is elsewhere", () => {
    expect(waysOf({ hasOriginals: false })).toMatchObject({
      coco: "made",
      cutout: "again",
      preview: "again",
    });
  });

  it("comes from the job's assets if the job has asked for it, of those pictures alone", () => {
    const keys = ["cutouts/a.jpg/0.png", "cutouts/b.jpg/0.png", "preview/a.jpg.png", "preview/b.jpg.png"];
    const offers = offersOf({ ...PICTURE, hasOriginals: false, keys });
    expect(offers.flatMap(({ id, way }) => (way.kind === "there" ? [[id, way.keys]] : []))).toEqual([
      ["cutout", ["cutouts/a.jpg/0.png"]],
      ["preview", ["preview/a.jpg.png"]],
    ]);
  });

  it("has mattes of a video made here, from the masks that every job has", () => {
    const clip = { type: "video", taskIds: ["a.mp4"], keys: ["masks/a.mp4/masks.json"], masks: 0 } as const;
    expect(waysOf(clip)["matte"]).toBe("made");
    expect(waysOf({ ...clip, keys: [] })["matte"]).toBe("empty");
  });

  it("has no objects for a picture without any, and no step that would add some", () => {
    expect(waysOf({ masks: 0, keys: [] })).toMatchObject({
      masks: "empty",
      cutout: "empty",
      preview: "again",
      labelmap: "empty",
    });
  });

  it("has pictures without objects in data sets, but no data set without pictures", () => {
    const made = { coco: "made", yolo: "made", semantic: "made", voc: "made" };
    expect(waysOf({ masks: 0, keys: [] })).toMatchObject(made);
    const none = { coco: "empty", yolo: "empty", semantic: "empty", voc: "empty" };
    expect(waysOf({ masks: 0, keys: [], taskIds: [] })).toMatchObject(none);
  });

  it("requests exactly the missing format", () => {
    const ways = offersOf({ ...PICTURE, hasOriginals: false }).flatMap(({ id, way }) =>
      way.kind === "again" ? [[id, way.change]] : [],
    );
    expect(ways).toEqual(
      expect.arrayContaining([
        ["cutout", { formats: ["cutout"] }],
        ["preview", { generatePreview: true }],
      ]),
    );
  });

  it("comes from the service for a video, but for COCO, which is made here with the names of the moment", () => {
    const clip = { type: "video", taskIds: ["c.mp4"], masks: 0 } as const;
    const keys = ["masks/c.mp4/masks.json", "preview/c.mp4.mp4"];
    expect(waysOf({ ...clip, keys })).toMatchObject({ masks: "there", coco: "made", preview: "there" });
    expect(waysOf({ ...clip, keys: [...keys, "annotations/c.mp4.json"] })).toMatchObject({ coco: "made" });
  });
});

describe("another run of a job", () => {
  it("has everything of the job, and its missing parts", () => {
    const request: CreateJobRequest = {
      type: "image",
      prompts: ["cup"],
      tasks: ["a.png"],
      threshold: 0.3,
      formats: ["coco"],
    };
    expect(againWith(request, { formats: ["yolo"] })).toEqual({ ...request, formats: ["coco", "yolo"] });
    const clip: CreateJobRequest = {
      type: "video",
      prompts: ["dog"],
      tasks: ["a.mp4"],
      fps: 5,
      formats: ["coco"],
    };
    expect(againWith(clip, { generatePreview: true })).toEqual({ ...clip, generatePreview: true });
  });
});
