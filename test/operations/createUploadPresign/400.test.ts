import { beforeEach, describe, it } from "vitest";
import { newClient, type Client } from "../../support/worker/api.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createUploadPresign 400", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

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
