import { beforeEach, describe, it } from "vitest";
import { newClient, send, type Client } from "../../support/worker/api.ts";
import { expectError } from "../../support/worker/wire.ts";

describe.each(["/v1/uploads/presign", "/v1/jobs"])("400 on POST %s", (path) => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const post = (body: BodyInit | null, type: string | null) =>
    send("POST", path, {
      headers: { authorization: `Bearer ${client.key}`, ...(type !== null && { "content-type": type }) },
      body,
    });

  it.each(["", "{", "{'type': 'image'}", "NaN", "[1,]", "\0"])(
    "refuses %j as malformed JSON",
    async (body) => {
      expectError(await post(body, "application/json"), 400, "invalid_json");
    },
  );

  it.each([null, "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])(
    "refuses the Content-Type %s",
    async (type) => {
      expectError(await post(new TextEncoder().encode("{}"), type), 400, "unsupported_content_type");
    },
  );
});
