import { Hono } from "hono";
import { ImportRequest, PresignRequest } from "../../contract/upload.ts";
import { createUploadPresign } from "../../services/operations/create-upload-presign.ts";
import { deleteUpload } from "../../services/operations/delete-upload.ts";
import { importUpload } from "../../services/operations/import-upload.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { jsonBody, validate } from "../middleware/validate.ts";
import { wrongMethod } from "./wrong-method.ts";

export const uploads = new Hono<AppEnv>()
  .post("/presign", authenticate, jsonBody, validate("json", PresignRequest), async (c) =>
    c.json(await createUploadPresign(platform(c), c.var.account, c.req.valid("json").contentType)),
  )
  .all("/presign", wrongMethod("POST"))
  .post("/import", authenticate, jsonBody, validate("json", ImportRequest), async (c) => {
    const { url } = c.req.valid("json");
    const imported = importUpload(platform(c), c.var.account, url, c.req.raw.signal);
    // Until nothing of it is left, if the client goes away.
    c.executionCtx.waitUntil(imported.catch(() => {}));
    return c.json(await imported, 201);
  })
  .all("/import", wrongMethod("POST"))
  .delete("/:taskId", authenticate, async (c) => {
    await deleteUpload(platform(c), c.var.account, c.req.param("taskId"));
    return c.body(null, 204);
  })
  .all("/:taskId", wrongMethod("DELETE"));
