import { brushRleOf, runsOfRle } from "@segmentation/masks";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import {
  type Answer,
  answerOf,
  type Client,
  fetchWorker,
  newClient,
} from "../../support/worker/client/api.ts";
import { type Found, finishNextJob, rectangle, SIZE } from "../../support/worker/fixtures/bridges.ts";
import { fakeModelAndPictures } from "../../support/worker/fakes/elsewhere.ts";
import { failure, FakeInference, regionsOf } from "../../support/worker/fakes/inference.ts";
import { PNG, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const ROOT = "/integrations/label-studio";
const label = (value: string) => `<Label value="${value}"/>`;
const INTERFACE = `<View>
  <Image name="picture" value="$image" zoom="true"/>
  <RectangleLabels name="box" toName="picture" smart="true">${label("cup")}${label("spoon")}${label("plate &amp; fork")}</RectangleLabels>
  <PolygonLabels name="outline" toName="picture">${label("cup")}${label("spoon")}</PolygonLabels>
  <BrushLabels name="brush" toName="picture">${label("cup")}</BrushLabels>
  <KeyPointLabels name="click" toName="picture" smart="true">${label("cup")}</KeyPointLabels>
</View>`;
const MODEL = "told 1.2.3";
const drawn = { original_width: 400, original_height: 300, image_rotation: 0, to_name: "picture" };
const click = (x: number, y: number, is_positive: boolean | number) => ({
  ...drawn,
  id: "a",
  type: "keypointlabels",
  from_name: "click",
  is_positive,
  value: { x, y, width: 0.3, keypointlabels: ["spoon"] },
});

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  fakeModelAndPictures();
});

/** Sends a request like Label Studio, with the API key as the password. */
const ask = async (method: string, path: string, body?: unknown, password = client.key): Promise<Answer> => {
  const headers = {
    authorization: `Basic ${btoa(`anybody:${password}`)}`,
    "content-type": "application/json",
  };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return answerOf(await fetchWorker(new Request(`https://api.test${ROOT}${path}`, init)));
};

const predictBody = (images: readonly unknown[], context: unknown = null, label_config = INTERFACE) => ({
  tasks: images.map((image, id) => ({ id, data: { image }, annotations: [], predictions: [] })),
  model_version: null,
  project: "1.1764212345",
  label_config,
  params: { login: null, password: null, context },
});

/** Predicts for pictures in which a job finds something. */
async function predict(images: readonly unknown[], found: readonly Found[], context?: unknown) {
  const answer = ask("POST", "/predict", predictBody(images, context));
  await finishNextJob(inference, client, found);
  const { status, body } = await answer;
  expect(status).toBe(200);
  return body.results;
}

describe("an ML backend of Label Studio", () => {
  it("is healthy, is set up, and takes events, if its password is an API key [A21-1]", async () => {
    expect(await ask("GET", "/health")).toMatchObject({
      status: 200,
      body: { status: "UP", model_class: MODEL },
    });
    const setup = {
      project: "1.1764212345",
      schema: INTERFACE,
      hostname: "http://localhost:8080",
      access_token: "x",
    };
    expect(await ask("POST", "/setup", setup)).toMatchObject({ status: 200, body: { model_version: MODEL } });
    const event = { action: "ANNOTATION_CREATED", project: { id: 1 }, annotation: {} };
    expect((await ask("POST", "/webhook", event)).status).toBe(201);
    for (const [method, path] of [
      ["GET", "/health"],
      ["POST", "/setup"],
      ["POST", "/predict"],
      ["POST", "/webhook"],
    ] as const)
      for (const password of ["", "sk_live_wrong", `${client.key}x`])
        expectError(
          await ask(method, path, method === "GET" ? undefined : {}, password),
          401,
          "Unauthorized",
        );
  });

  it("finds the interface's labels in all tasks by one job, each object by the most exact tag that has its label [A21-1 A21-2 A21-3]", async () => {
    const own = await uploaded(client);
    const [cup, spoon, plate] = [rectangle(3, 4, 10, 5), rectangle(20, 10, 8, 6), rectangle(0, 20, 20, 3)];
    const found = [cup, { ...spoon, promptIndex: 1 }, { ...plate, promptIndex: 2 }];
    const results = await predict([`upload:${own}`, "https://pictures.test/a.png"], found);
    expect(inference.last.prompts).toEqual(["cup", "spoon", "plate & fork"]);
    expect(results).toHaveLength(2);
    const common = {
      to_name: "picture",
      original_width: SIZE.width,
      original_height: SIZE.height,
      image_rotation: 0,
    };
    for (const { model_version, score, result } of results) {
      expect({ model_version, score }).toEqual({ model_version: MODEL, score: expect.closeTo(0.89, 5) });
      expect(result).toEqual([
        {
          ...common,
          id: expect.any(String),
          from_name: "brush",
          type: "brushlabels",
          score: 0.9,
          value: { format: "rle", rle: brushRleOf(runsOfRle(cup.rle)), brushlabels: ["cup"] },
        },
        {
          ...common,
          id: expect.any(String),
          from_name: "outline",
          type: "polygonlabels",
          score: 0.89,
          value: {
            points: [
              [50, (10 / 30) * 100],
              [70, (10 / 30) * 100],
              [70, (16 / 30) * 100],
              [50, (16 / 30) * 100],
            ].map((point) => point.map((each) => expect.closeTo(each, 8))),
            closed: true,
            polygonlabels: ["spoon"],
          },
        },
        {
          ...common,
          id: expect.any(String),
          from_name: "box",
          type: "rectanglelabels",
          score: 0.88,
          value: {
            x: 0,
            y: expect.closeTo((20 / 30) * 100, 8),
            width: 50,
            height: expect.closeTo(10, 8),
            rotation: 0,
            rectanglelabels: ["plate & fork"],
          },
        },
      ]);
      expect(new Set(result.map(({ id }: { id: string }) => id)).size).toBe(3);
    }
  });

  it("draws clicked or boxed objects with the chosen label, and fetches their picture once [A21-1 A21-4]", async () => {
    const spoon = { ...rectangle(20, 10, 8, 6), regionIndex: 0 };
    const url = "https://pictures.test/coffee.png";
    const context = { result: [click(50, 20, true), click(10, 90, 0)] };
    const [{ result }] = await predict([url], [spoon], context);
    expect(result).toMatchObject([{ type: "polygonlabels", value: { polygonlabels: ["spoon"] } }]);
    const points = [
      { x: 200, y: 60, label: 1 },
      { x: 40, y: 270, label: 0 },
    ];
    expect(regionsOf(inference.last)).toMatchObject([{ points }]);
    const first = inference.last.key.split(".").slice(1, 3).join(".");
    const box = {
      ...drawn,
      type: "rectanglelabels",
      value: { x: 10, y: 20, width: 30, height: 40, rectanglelabels: ["cup"] },
    };
    const [boxed] = await predict([url], [spoon], { result: [box] });
    expect(boxed.result[0].value.brushlabels).toEqual(["cup"]);
    expect(regionsOf(inference.last)).toMatchObject([{ box: [40, 60, 120, 120] }]);
    expect(inference.last.key.split(".").slice(1, 3).join(".")).toBe(first);
    const fetched = vi.mocked(globalThis.fetch).mock.calls.filter(([input]) => input === url);
    expect(fetched).toHaveLength(1);
  });

  it("returns nothing for a picture without objects, or a file that is no picture [A21-1]", async () => {
    expect(await predict(["https://pictures.test/a.png"], [])).toEqual([
      { model_version: MODEL, score: 0, result: [] },
    ]);
  });

  /** Answers requests to https://labels.test, and collects them. */
  const fakeLabelStudio = (
    answer: (request: Request) => Response | Promise<Response>,
  ): readonly Request[] => {
    const asked: Request[] = [];
    const fake = vi.mocked(globalThis.fetch).getMockImplementation();
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.startsWith("https://labels.test/"))
        return (await fake?.(input, init)) ?? Response.error();
      asked.push(request);
      return await answer(request);
    });
    return asked;
  };

  it("fetches a file of Label Studio itself with the operator's token, for the accounts that may see it [A21-5]", async () => {
    const asked = fakeLabelStudio(({ url }) =>
      url.endsWith("/gone.png") ? new Response(null, { status: 404 }) : new Response(PNG),
    );
    const path = "/data/upload/1/coffee.png";
    expectError(await ask("POST", "/predict", predictBody([path])), 400, "url_forbidden");
    overrideSettings({
      LABEL_STUDIO_URL: "https://labels.test",
      LABEL_STUDIO_TOKEN: "a-token-of-label-studio",
      LABEL_STUDIO_ACCOUNTS: ["acct_another"],
    });
    expectError(await ask("POST", "/predict", predictBody([path])), 400, "url_forbidden");
    expect(asked).toEqual([]);
    overrideSettings({ LABEL_STUDIO_ACCOUNTS: [client.accountId] });
    expect(await predict([path], [])).toHaveLength(1);
    expect(asked.map(({ url, headers }) => [url, headers.get("authorization")])).toEqual([
      [`https://labels.test${path}`, "Token a-token-of-label-studio"],
    ]);
    expectError(
      await ask("POST", "/predict", predictBody(["/data/upload/1/gone.png"])),
      502,
      "import_failed",
    );
    for (const other of ["/api/users", "/data/../api/users", "//evil.test/data/a.png"])
      expectError(await ask("POST", "/predict", predictBody([other])), 400, "url_forbidden");
    expect(asked).toHaveLength(2);
  });

  it("fetches all files of a request with one exchange of a personal access token, too: new organizations have no legacy tokens [A21-5]", async () => {
    const token = "a-header.a-payload.a-signature";
    const asked = fakeLabelStudio(async (request) => {
      if (request.method === "GET") return new Response(PNG);
      const { refresh } = await request.clone().json<{ refresh: string }>();
      return refresh === token ? Response.json({ access: "short" }) : new Response(null, { status: 401 });
    });
    overrideSettings({
      LABEL_STUDIO_URL: "https://labels.test",
      LABEL_STUDIO_TOKEN: token,
      LABEL_STUDIO_ACCOUNTS: [client.accountId],
    });
    const paths = ["/data/upload/1/coffee.png", "/data/upload/1/cup.png"];
    expect(await predict(paths, [])).toHaveLength(2);
    expect(asked.map(({ url, headers }) => [url, headers.get("authorization")])).toEqual([
      ["https://labels.test/api/token/refresh/", null],
      ...paths.map((path) => [`https://labels.test${path}`, "Bearer short"]),
    ]);
    overrideSettings({ LABEL_STUDIO_TOKEN: "a-header.a-payload.revoked" });
    const refused = await ask("POST", "/predict", predictBody(["/data/upload/1/spoon.png"]));
    expectError(refused, 502, "import_failed");
  });

  it("says what is wrong [A21-6]", async () => {
    const messageFor = async (body: unknown): Promise<string> => {
      const answer = await ask("POST", "/predict", body);
      expect(answer.status).toBeOneOf([400, 403]);
      return answer.body.message;
    };
    const url = "https://pictures.test/a.png";
    expect(await messageFor({})).toMatch(/tasks: is missing/);
    expect(await messageFor(predictBody([url], null, "<View>"))).toMatch(/is not XML/);
    expect(await messageFor(predictBody([url], null, "<View><Text name='a' value='$text'/></View>"))).toMatch(
      /no <Image>/,
    );
    expect(await messageFor(predictBody([url], { result: [{ type: "brushlabels", value: {} }] }))).toMatch(
      /neither keypoints/,
    );
    expect(await messageFor(predictBody([url, url], { result: [click(1, 1, true)] }))).toMatch(/one task/);
    expect(await messageFor(predictBody([url], { result: [click(1, 1, false)] }))).toMatch(/label 1/);
    expect(await messageFor(predictBody([17]))).toMatch(/has no picture/);
    expect(await messageFor(predictBody(["http://10.0.0.1/a.png"]))).toMatch(/https/);
    expect(await messageFor(predictBody([`upload:${await uploaded(await newClient())}`]))).toMatch(
      /not an upload of this account/,
    );
    const nested = `${"<View>".repeat(60)}${"</View>".repeat(60)}`;
    expect(await messageFor(predictBody([url], null, nested))).toMatch(/too deep/);

    const failing = ask("POST", "/predict", predictBody([url]));
    await finishNextJob(inference, client, failure(false));
    expectError(await failing, 409, "job_not_ready");
    expect((await failing).body.message).toMatch(/^The job job_\w+ failed: /);
  });

  it("is not there where the operator has switched it off [A21-7]", async () => {
    overrideSettings({ LABEL_STUDIO: false });
    expectError(await ask("GET", "/health"), 404, "not_found");
  });

  it("stores nothing of a picture but its upload", async () => {
    await predict(["https://pictures.test/a.png"], []);
    const { objects } = await env.MEDIA.list({ prefix: inputKey(client.accountId, "") });
    expect(objects).toHaveLength(1);
  });
});
