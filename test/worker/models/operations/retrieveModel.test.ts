import { DecoderRequest, PROTOCOL } from "@segmentation/protocol";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { decoderKey } from "../../../../src/shared/bucket/object-keys.ts";
import { Model } from "../../../../src/models/contract/model.ts";
import { type Answer, fetchWorker, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { DESCRIPTION, fakeElsewhere } from "../../../support/worker/fakes/elsewhere.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const fetchPage = (path: string): Promise<Response> => fetchWorker(new Request(`https://api.test${path}`));
const ask = async (): Promise<Answer> => (await newClient()).send("GET", "/v1/model");

/** Sets the inference service's answer from now on. */
const fakeService = (answer: (request: Request) => Promise<Response> = fakeElsewhere) =>
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => answer(new Request(input, init)));

describe("retrieveModel 200", () => {
  it("describes the inference service's model and what it can do [A6-10]", async () => {
    const { settings } = home.platform;
    const asked = fakeService(async (request) => {
      expect(request.url).toBe(`${settings.INFERENCE_URL}/v1/model`);
      expect(request.headers.get("authorization")).toBe(`Bearer ${settings.INFERENCE_TOKEN}`);
      return fakeElsewhere(request);
    });
    const { status, body } = await ask();
    expect(status).toBe(200);
    const { id, version, family, vocabulary, attributes, regions, formats } = DESCRIPTION;
    const described = { id, version, family, vocabulary, attributes, regions, formats, video: true };
    expect(Model.parse(body)).toEqual(described);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it("reports missing video support, and an open vocabulary", async () => {
    const capabilities = { types: ["image"], preview: true };
    fakeService(async () => Response.json({ ...DESCRIPTION, vocabulary: "open", capabilities, further: 1 }));
    expect((await ask()).body).toMatchObject({ video: false, vocabulary: "open" });
  });

  it("is kept for a minute, for all accounts [A6-10]", async () => {
    later(0);
    const asked = fakeService();
    await ask();
    later(59_999);
    await ask();
    expect(asked).toHaveBeenCalledTimes(1);
    later(1);
    await ask();
    expect(asked).toHaveBeenCalledTimes(2);
  });
});

describe("the decoder of a model with embeddings", () => {
  const sha256 = "5a".repeat(32);
  const described = { ...DESCRIPTION, decoder: { sha256, bytes: 7 } };

  /** Fakes a service with a decoder, which a request for it puts into the bucket. Returns the requests for it. */
  function playDecoder(): DecoderRequest[] {
    const asked: DecoderRequest[] = [];
    fakeService(async (request) => {
      if (request.method === "GET") return Response.json(described);
      expect(request.url).toBe(`${home.platform.settings.INFERENCE_URL}/v1/decoder`);
      asked.push(DecoderRequest.parse(await request.json()));
      await env.MEDIA.put(decoderKey(sha256), "decoder");
      return new Response(null, { status: 202 });
    });
    return asked;
  }

  it("is put into the bucket once by the inference service, and then named with its URL", async () => {
    later(0);
    const asked = playDecoder();
    expect(Model.parse((await ask()).body)).not.toHaveProperty("interactive");
    const { interactive } = Model.parse((await ask()).body);
    expect(interactive).toEqual({
      decoder: { url: `${home.platform.settings.PUBLIC_URL}/decoders/${sha256}.onnx`, bytes: 7, sha256 },
      embedding: { format: 1, units: 1 },
    });
    later(60_000);
    await ask();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ sha256, headers: { "content-type": "application/octet-stream" } });
    const url = new URL(asked[0]?.url ?? "");
    expect(url.pathname).toContain(`/decoders/${sha256}.onnx`);
    expect(url.searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;content-type;host");
  });

  it("is everyone's for a year, also in pages of other origins", async () => {
    playDecoder();
    await ask();
    const response = await fetchPage(`/decoders/${sha256}.onnx`);
    expect([response.status, await response.text()]).toEqual([200, "decoder"]);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each(["0f".repeat(32), "../inputs/acct_1/x", "5A".repeat(32)])(
    "is not found under another name: %s",
    async (name) => {
      expect((await fetchPage(`/decoders/${name}.onnx`)).status).toBe(404);
    },
  );

  it("is not named while the service that has it can't be reached", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    fakeService(async (request) => {
      if (request.method === "GET") return Response.json(described);
      throw new TypeError("no such host");
    });
    const { status, body } = await ask();
    expect([status, "interactive" in body]).toEqual([200, false]);
  });
});

describe("retrieveModel 503", () => {
  it.each<readonly [string, () => Promise<Response>]>([
    ["cannot be reached", () => Promise.reject(new TypeError("no such host"))],
    ["is loading its model", async () => Response.json({ error: "not_ready" }, { status: 503 })],
    ["refuses the token", async () => Response.json({ error: "unauthorized" }, { status: 401 })],
    ["is older than the Worker", async () => Response.json({ id: "builtin", version: "1.0.0" })],
    ["speaks another protocol", async () => Response.json({ ...DESCRIPTION, protocol: PROTOCOL + 1 })],
    ["is a proxy's page", async () => new Response("<html>")],
  ])("says that no model is there while the service %s, and asks again [A6-11]", async (_, answer) => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    fakeService(answer);
    const refused = await ask();
    expectError(refused, 503, "model_unavailable");
    expect(refused.headers.get("retry-after")).toBe("10");
    vi.mocked(globalThis.fetch).mockRestore();
    fakeService();
    expect((await ask()).status).toBe(200);
  });
});
