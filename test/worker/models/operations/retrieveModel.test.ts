import { PROTOCOL } from "@segmentation/protocol";
import { describe, expect, it, vi } from "vitest";
import { Model } from "../../../../src/models/contract/model.ts";
import { type Answer, newClient } from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { DESCRIPTION, playedElsewhere } from "../../../support/worker/fakes/elsewhere.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const ask = async (): Promise<Answer> => (await newClient()).send("GET", "/v1/model");

/** Sets the inference service's answer from now on. */
const playService = (answer: (request: Request) => Promise<Response> = playedElsewhere) =>
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => answer(new Request(input, init)));

describe("retrieveModel 200", () => {
  it("describes the inference service's model and what it can do [A6-10]", async () => {
    const { settings } = home.platform;
    const asked = playService(async (request) => {
      expect(request.url).toBe(`${settings.INFERENCE_URL}/v1/model`);
      expect(request.headers.get("authorization")).toBe(`Bearer ${settings.INFERENCE_TOKEN}`);
      return playedElsewhere(request);
    });
    const { status, body } = await ask();
    expect(status).toBe(200);
    const { id, version, family, vocabulary, attributes, regions, formats } = DESCRIPTION;
    const described = { id, version, family, vocabulary, attributes, regions, formats, video: true };
    expect(Model.parse(body)).toEqual(described);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it("says that there is no video where the service takes none, and that any phrase will do", async () => {
    const capabilities = { types: ["image"], preview: true };
    playService(async () => Response.json({ ...DESCRIPTION, vocabulary: "open", capabilities, further: 1 }));
    expect((await ask()).body).toMatchObject({ video: false, vocabulary: "open" });
  });

  it("is kept for a minute, for all accounts [A6-10]", async () => {
    later(0);
    const asked = playService();
    await ask();
    later(59_999);
    await ask();
    expect(asked).toHaveBeenCalledTimes(1);
    later(1);
    await ask();
    expect(asked).toHaveBeenCalledTimes(2);
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
    playService(answer);
    const refused = await ask();
    expectError(refused, 503, "model_unavailable");
    expect(refused.headers.get("retry-after")).toBe("10");
    vi.mocked(globalThis.fetch).mockRestore();
    playService();
    expect((await ask()).status).toBe(200);
  });
});
