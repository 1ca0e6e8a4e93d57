import { createHash } from "node:crypto";
import type { Hono } from "hono";
import {
  CompleteUploadRequest,
  ImportRequest,
  MultipartUploadRequest,
  PresignRequest,
} from "../../../src/uploads/contract/upload.ts";
import { partSizesOf } from "../../../src/uploads/rules/parts.ts";
import { originOf, refuse } from "./fake-answers.ts";

/** As S3 names a part. */
const etagOf = (bytes: Uint8Array = new Uint8Array()): string =>
  `"${createHash("md5").update(bytes).digest("hex")}"`;

/** The fake service's uploads, and the storage that takes them. */
export function fakeUploads(app: Hono) {
  const uploads = new Map<string, { readonly contentType: string; bytes: Uint8Array | null }>();
  /** The taskIds of uploads in parts by their keys, and the parts that came. */
  const multiparts = new Map<string, string>();
  const parts = new Map<string, Uint8Array<ArrayBuffer>[]>();
  /** Hosts from which it fetches nothing. */
  const forbids = new Set(["private.test"]);

  app.post("/v1/uploads/presign", async (c) => {
    const { contentType } = PresignRequest.parse(await c.req.json());
    const taskId = `${crypto.randomUUID()}.${contentType.split("/")[1] ?? "bin"}`;
    uploads.set(taskId, { contentType, bytes: null });
    const uploadUrl = new URL(`/storage/inputs/${taskId}?signature=good`, originOf(c)).href;
    return c.json({ uploadUrl, taskId, bucket: "fake", expiresIn: 300 });
  });
  app.post("/v1/uploads/parts", async (c) => {
    const { contentType, size } = MultipartUploadRequest.parse(await c.req.json());
    const key = c.req.header("idempotency-key") ?? crypto.randomUUID();
    const taskId = multiparts.get(key) ?? `${crypto.randomUUID()}.${contentType.split("/")[1] ?? "bin"}`;
    multiparts.set(key, taskId);
    const { bytes = null } = uploads.get(taskId) ?? {};
    uploads.set(taskId, { contentType, bytes });
    const urlOf = (part: number) => `/storage/inputs/${taskId}?signature=good&partNumber=${part}&uploadId=u`;
    const sizes = bytes === null ? partSizesOf(size) : [];
    return c.json(
      {
        taskId,
        parts: sizes.map((each, i) => ({
          partNumber: i + 1,
          size: each,
          uploadUrl: new URL(urlOf(i + 1), originOf(c)).href,
        })),
        expiresIn: 3_600,
      },
      201,
    );
  });
  app.post("/v1/uploads/:taskId/complete", async (c) => {
    const taskId = c.req.param("taskId");
    const upload = uploads.get(taskId);
    const sent = parts.get(taskId) ?? [];
    const named = CompleteUploadRequest.parse(await c.req.json()).parts;
    if (upload === undefined) return refuse(c, "upload_not_found");
    if (named.some(({ etag, partNumber }) => etag !== etagOf(sent[partNumber - 1])))
      return refuse(c, "upload_incomplete");
    upload.bytes ??= new Uint8Array(Buffer.concat(sent));
    return c.json({ taskId, size: upload.bytes.length });
  });
  app.post("/v1/uploads/import", async (c) => {
    const { url } = ImportRequest.parse(await c.req.json());
    if (forbids.has(new URL(url).hostname)) return refuse(c, "url_forbidden");
    const taskId = `${crypto.randomUUID()}.png`;
    const bytes = new TextEncoder().encode(url);
    uploads.set(taskId, { contentType: "image/png", bytes });
    return c.json({ taskId, contentType: "image/png", size: bytes.length }, 201);
  });
  app.put("/storage/inputs/:taskId", async (c) => {
    const upload = uploads.get(c.req.param("taskId"));
    const part = Number(c.req.query("partNumber"));
    if (part > 0) {
      const sent = new Uint8Array(await c.req.arrayBuffer());
      const all = parts.get(c.req.param("taskId")) ?? [];
      parts.set(c.req.param("taskId"), Object.assign(all, { [part - 1]: sent }));
      return c.body(null, 200, { etag: etagOf(sent) });
    }
    if (
      upload === undefined ||
      c.req.query("signature") !== "good" ||
      upload.contentType !== c.req.header("content-type")
    )
      return c.text("<Error><Code>SignatureDoesNotMatch</Code></Error>", 403);
    if (c.req.header("content-length") === undefined)
      return c.text("<Error><Code>MissingContentLength</Code></Error>", 411);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.length !== Number(c.req.header("content-length")))
      return c.text("<Error>IncompleteBody</Error>", 400);
    upload.bytes = bytes;
    return c.body(null, 200);
  });

  const sumOf = (taskId: string): number =>
    [...(uploads.get(taskId)?.bytes ?? [])].reduce((sum, byte) => sum + byte, 0);
  const textOf = (taskId: string): string =>
    new TextDecoder().decode(uploads.get(taskId)?.bytes ?? undefined);
  return { uploads, forbids, sumOf, textOf };
}
