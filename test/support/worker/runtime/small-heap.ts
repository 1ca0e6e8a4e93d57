import { Hono } from "hono";
import { z } from "zod";
import { withLargeBody } from "../../../../src/http/large-body.ts";
import type { Requester } from "../../../../src/segment/operations/requester.ts";
import { BODY as CVAT } from "../../../../src/integrations/cvat/invocation.ts";
import { pictureIn } from "../../../../src/http/inline-picture.ts";
import { BODY as LABEL_STUDIO } from "../../../../src/integrations/label-studio/request.ts";
import { BODY as MCP } from "../../../../src/integrations/mcp/message.ts";
import { BYTES_PER_BYTE, boundedBody, holdingMemory } from "../../../../src/http/bounded-body.ts";
import type { AppEnv } from "../../../../src/http/context.ts";
import { respondWithError } from "../../../../src/http/errors.ts";
import { readBody, readCallback } from "../../../../src/http/read-request.ts";
import { JSON_BODY, readForm } from "../../../../src/http/segment-request.ts";
import { memoryOf } from "../../../../src/platform.ts";

const done = () => Promise.resolve("");
const later = () => new Promise((resolve) => setTimeout(resolve, 50));

/** The part of the platform that reading a body needs: an account that may create jobs, and the isolate's memory. */
const platform = Object.assign(Object.create(null), {
  ...memoryOf(),
  settings: { MAX_BODY_BYTES: 1_048_576, MAX_IMAGE_BYTES: 50_000_000 },
  requestRate: { admits: () => Promise.resolve(true) },
  uploads: { insert: () => Promise.resolve(true), noteSize: done, delete: done },
  // It takes its time, like a bucket.
  media: {
    write: later,
    beginParts: done,
    writePart: later,
    completeParts: done,
    abortParts: done,
    delete: done,
  },
});
const client: Requester = Object.assign(Object.create(null), {
  platform,
  account: { accountId: "acct_a", accessMode: "paid", plan: "paid" },
});

const anything = z.unknown();

/** Every way in which the Worker reads a body, without its processing. */
export default new Hono<AppEnv>()
  .use(async (c, next) => {
    c.set("platform", () => platform);
    await next();
  })
  .onError(respondWithError)
  .post("/v1", async (c) => c.json([typeof (await readBody(c, anything))]))
  .post("/internal", async (c) => c.json([typeof (await readCallback(c, anything))]))
  .post("/stripe", async (c) => {
    const { size, read } = await boundedBody(c, 1_000_000);
    const decode = async () => new TextDecoder().decode(await read()).length;
    return c.json([await holdingMemory(c, "stripe", BYTES_PER_BYTE * size, decode)]);
  })
  .post("/form", async (c) => c.json([(await readForm(c, client, "x")).picture.stored?.size]))
  .post("/segment", (c) =>
    withLargeBody(c, client, JSON_BODY, async ({ aside: [image] }) =>
      c.json([image === undefined ? 0 : pictureIn(image.bytes)?.length]),
    ),
  )
  .post("/label-studio", (c) =>
    withLargeBody(c, client, LABEL_STUDIO, async ({ value }) => c.json([typeof value])),
  )
  .post("/mcp", (c) => withLargeBody(c, client, MCP, async ({ value }) => c.json([typeof value])))
  .post("/cvat", (c) =>
    withLargeBody(c, client, CVAT, async ({ aside: [image] }) =>
      c.json([image === undefined ? 0 : pictureIn(image.bytes)?.length]),
    ),
  );
