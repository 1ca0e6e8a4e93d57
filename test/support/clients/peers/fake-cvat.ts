/**
 * A fake CVAT server with the parts that its SDK and its command line need for a task of one picture, and that call functions.
 * CVAT itself consists of a dozen containers. Its protocols: the SDK's `cvat_sdk.api_client` on one side, Nuclio's dashboard on
 * the other.
 */
import { zipSync } from "fflate";
import { Hono } from "hono";
import { z } from "zod";
import { serve } from "../../../../client/test/support/serve.ts";

/** The annotations of a person or a program in the task. */
const Annotations = z.object({
  shapes: z.array(
    z.looseObject({ type: z.string(), frame: z.int(), label_id: z.int(), points: z.array(z.number()) }),
  ),
});

/** A list of functions, with the fields that the server reads. */
const Functions = z.record(
  z.string(),
  z.object({
    metadata: z.object({ name: z.string(), annotations: z.object({ type: z.string(), spec: z.string() }) }),
  }),
);

export interface FakeCvat {
  readonly url: string;
  /** The annotations in the order of their arrival. */
  readonly shapes: z.infer<typeof Annotations>["shapes"];
}

export interface CvatTask {
  readonly picture: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Labels of the task, with ids from 100. */
  readonly labels: readonly string[];
  /** The address in CVAT_NUCLIO_HOST, and its password. */
  readonly functions: { readonly url: string; readonly password: string };
}

/** Runs a fake CVAT server with a task, whose id is 1, until the test has ended. */
export async function fakeCvat({ picture, width, height, labels, functions }: CvatTask): Promise<FakeCvat> {
  const shapes: FakeCvat["shapes"] = [];
  const call = (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Response> =>
    fetch(`${functions.url}/api/${path}`, {
      ...init,
      headers: { authorization: `Basic ${btoa(`cvat:${functions.password}`)}`, ...init.headers },
    });
  const task = {
    id: 1,
    name: "a task",
    size: 1,
    data_chunk_size: 1,
    data_original_chunk_type: "imageset",
    updated_date: "2026-11-01T00:00:00Z",
    organization: null,
    jobs: { count: 1, completed: 0, validation: 0, url: "" },
    labels: { url: "" },
  };
  const meta = {
    chunks_updated_date: "2026-11-01T00:00:00Z",
    deleted_frames: [],
    frames: [{ name: "picture.png", width, height, related_files: 0 }],
  };
  const app = new Hono()
    .get("/api/server/about", (c) =>
      c.json({ name: "CVAT", description: "", version: "2.80.0", logo_url: "", subtitle: "" }),
    )
    .get("/api/tasks/1", (c) => c.json(task))
    .get("/api/labels", (c) => {
      const results = labels.map((name, i) => ({
        id: 100 + i,
        name,
        type: "mask",
        attributes: [],
        sublabels: [],
      }));
      return c.json({ count: results.length, next: null, previous: null, results });
    })
    .get("/api/tasks/1/data/meta", (c) => c.json(meta))
    .get("/api/tasks/1/data/", () => new Response(zipSync({ "000000.png": picture })))
    .patch("/api/tasks/1/annotations/", async (c) => {
      shapes.push(...Annotations.parse(await c.req.json()).shapes);
      return c.json({ version: 1, tags: [], shapes: [], tracks: [] });
    })
    .get("/api/lambda/functions", async (c) => {
      const listed = Functions.parse(await (await call("functions")).json());
      return c.json(
        Object.values(listed).map(({ metadata: { name, annotations } }) => ({
          id: name,
          kind: annotations.type,
          labels_v2: JSON.parse(annotations.spec),
        })),
      );
    })
    .post("/api/lambda/functions/:name", async (c) => {
      const { task: _task, frame: _frame, ...asked } = await c.req.json<Record<string, unknown>>();
      const answer = await call("function_invocations", {
        method: "POST",
        headers: { "content-type": "application/json", "x-nuclio-function-name": c.req.param("name") },
        body: JSON.stringify({ ...asked, image: Buffer.from(picture).toString("base64") }),
      });
      return c.body(await answer.text(), answer.ok ? 200 : 500);
    });
  return { url: await serve(app), shapes };
}
