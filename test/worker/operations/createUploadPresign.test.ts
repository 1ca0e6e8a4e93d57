import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { Upload } from "../../../src/contract/upload.ts";
import { type Client, newClient } from "../../support/worker/api.ts";
import { expectError } from "../../support/worker/wire.ts";
import { USUAL_EXTENSIONS } from "../../support/node/extensions.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const PATH = "/v1/uploads/presign";

describe("createUploadPresign 200", () => {
  it("answers with uploadUrl, taskId, bucket and expiresIn in seconds, the signature's real life", async () => {
    const { status, body } = await client.send("POST", PATH, { contentType: "image/png" });
    expect(status).toBe(200);
    const upload = Upload.parse(body);
    const url = new URL(upload.uploadUrl);
    expect(upload.expiresIn).toBe(300);
    expect(url.searchParams.get("X-Amz-Expires")).toBe("300");
    expect(url.pathname).toBe(`/${upload.bucket}/inputs/${client.accountId}/${upload.taskId}`);
  });

  it("signs the content type", async () => {
    const { body } = await client.send("POST", PATH, { contentType: "image/png" });
    expect(new URL(body.uploadUrl).searchParams.get("X-Amz-SignedHeaders")).toContain("content-type");
  });

  it.each<readonly [string, string]>([
    ...USUAL_EXTENSIONS,
    ["image/svg+xml", "svg-xml"],
    ["image/vnd.adobe.photoshop", "vnd.adobe.photoshop"],
    ["image/...", "bin"],
  ])("gives %s the extension %s", async (contentType, extension) => {
    const { body } = await client.send("POST", PATH, { contentType });
    expect(body.taskId.slice(36)).toBe(`.${extension}`);
  });

  it("notes whose upload it is", async () => {
    const { body } = await client.send("POST", PATH, { contentType: "image/png" });
    const row = await env.DB.prepare("SELECT account_id FROM uploads WHERE task_id = ?")
      .bind(body.taskId)
      .first();
    expect(row).toEqual({ account_id: client.accountId });
  });

  it("ignores unknown fields", async () => {
    expect((await client.send("POST", PATH, { contentType: "image/png", size: 1 })).status).toBe(200);
  });
});

describe("createUploadPresign 400", () => {
  it.each([
    [{}],
    [{ contentType: null }],
    [{ contentType: 7 }],
    [{ contentType: "" }],
    [{ contentType: "image/" }],
    [{ contentType: "image/p ng" }],
    [{ contentType: "image/png; charset=utf-8" }],
    [{ contentType: "image/pñg" }],
    [{ contentType: "text/plain" }],
    [{ contentType: "application/pdf" }],
    [{ contentType: " image/png" }],
    [{ contentType: `image/${"x".repeat(300)}` }],
    [[]],
    ["image/png"],
  ])("refuses %j", async (body) => {
    expectError(await client.send("POST", "/v1/uploads/presign", body), 400, "invalid_request");
  });
});
