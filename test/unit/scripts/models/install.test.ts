import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Fault, FakeHub } from "../../../../inference-container/test/support/fake-hub.ts";
import { CATALOGUE, type CatalogueModel } from "../../../../scripts/models/install/catalogue.ts";
import { install } from "../../../../scripts/models/install/install.ts";

const DINO = "onnx-community/grounding-dino-tiny-ONNX";
const GRAPH = randomBytes(100_000);
const TOKENIZER = Buffer.from("{}");
const TOKEN = "hf_secret";

const sam3 = (name: string) => ({ name, repository: "someone/sam3-onnx", path: name });

/** A model whose owner licenses it only on request; the catalog has none such today. */
const GATED: CatalogueModel = {
  name: "sam3",
  family: "sam3",
  licence: {
    of: "facebook/sam3",
    name: "SAM License",
    text: "https://huggingface.co/facebook/sam3/blob/main/LICENSE",
  },
  megabytes: 3_400,
  files: [
    { name: "LICENSE", repository: "facebook/sam3", path: "LICENSE" },
    { name: "tokenizer.json", repository: "openai/clip-vit-base-patch32", path: "tokenizer.json" },
    sam3("sam3_image_encoder.onnx"),
    sam3("sam3_image_encoder.onnx.data"),
    sam3("sam3_language_encoder.onnx"),
    sam3("sam3_language_encoder.onnx.data"),
    sam3("sam3_decoder.onnx"),
    { ...sam3("sam3_decoder.onnx.data"), optional: true },
  ],
  embedded: [],
  own: { "golden.jpg": "inference-container/models/builtin/golden.jpg" },
};

let root: string;
let hub: FakeHub;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "install-"));
  hub = await FakeHub.start({
    [DINO]: { "onnx/model.onnx": GRAPH, "tokenizer.json": TOKENIZER },
    "facebook/sam3": { LICENSE: Buffer.from("The \u001B[2JSAM License.") },
    "openai/clip-vit-base-patch32": { "tokenizer.json": TOKENIZER },
    "someone/sam3-onnx": Object.fromEntries(
      [
        "image_encoder.onnx",
        "image_encoder.onnx.data",
        "language_encoder.onnx",
        "language_encoder.onnx.data",
        "decoder.onnx",
      ].map((name) => [`sam3_${name}`, GRAPH]),
    ),
  });
  vi.stubEnv("MODEL_DIR", root);
  vi.stubEnv("HF_ENDPOINT", hub.url);
  vi.stubEnv("HF_TOKEN", "");
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await hub[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

const run = (name = "grounding-dino-tiny", acceptLicence = true) =>
  install({ model: { name }, acceptLicence, force: false, provider: "cpu" }, new AbortController().signal, [
    ...CATALOGUE,
    GATED,
  ]);

/** Returns the refusal of an installation, after which no folder has the model's name. */
async function refusal(name?: string, acceptLicence?: boolean): Promise<string> {
  const error: unknown = await run(name, acceptLicence).then(
    () => expect.fail("It was not refused."),
    (reason) => reason,
  );
  expect((await readdir(root)).filter((entry) => !entry.startsWith("."))).toEqual([]);
  const message = error instanceof Error ? error.message : "";
  expect(message).not.toContain(TOKEN);
  return message;
}

/** Answers requests for a file, or for the list, with a status. */
const status =
  (code: number, part: string): Fault =>
  ({ url }, response) => {
    if (!url.includes(part)) return false;
    response.writeHead(code).end();
    return true;
  };

describe("an installation is refused", () => {
  it("without a token, if the hub wants one, and says where to get it", async () => {
    hub.fault = status(401, "/resolve/");
    const { host } = new URL(hub.url);
    expect(await refusal("sam3")).toBe(
      `${host} gives LICENSE of facebook/sam3 only to those with a token, or does not have it. Ask for access at ${hub.url}/facebook/sam3, make a token at ${hub.url}/settings/tokens, and set HF_TOKEN to it.`,
    );
  });

  it.each([
    [401, "/resolve/", "does not accept HF_TOKEN for LICENSE of facebook/sam3."],
    [
      403,
      "/resolve/",
      "does not give LICENSE of facebook/sam3 to the account of HF_TOKEN. Ask for access at",
    ],
    [404, "/resolve/", "has no LICENSE of facebook/sam3 at c0ffee"],
    [404, "/api/", "has no facebook/sam3 at main. It was moved or deleted: see"],
    [503, "/api/", "answered 503 for facebook/sam3. Try again later."],
    [410, "/api/", "answered 410 for facebook/sam3."],
  ])("with the status %i for %s", async (code, part, sentence) => {
    vi.stubEnv("HF_TOKEN", TOKEN);
    hub.fault = status(code, part);
    expect(await refusal("sam3")).toContain(sentence);
  });

  it("without a network", async () => {
    const { host } = new URL(hub.url);
    await hub[Symbol.asyncDispose]();
    expect(await refusal()).toContain(`${DINO} did not come from ${host} (ECONNREFUSED). Check the network;`);
  });

  it("by a hub that redirects its list to another host, to which the token does not go", async () => {
    vi.stubEnv("HF_TOKEN", TOKEN);
    hub.fault = ({ url, isStorage }, response) => {
      if (isStorage || !url.startsWith("/api/")) return false;
      response.writeHead(307, { location: `${hub.storage}${url}` }).end();
      return true;
    };
    expect(await refusal()).toContain(`redirects to ${hub.storage} for the list of ${DINO}.`);
    expect(hub.requests.map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`, undefined]);
  });

  it("by an address that is no hub", async () => {
    hub.changeList = () => ({ hello: "world" });
    expect(await refusal()).toContain(`does not list ${DINO} as Hugging Face does. Check HF_ENDPOINT`);
  });

  it("if the repository lacks a file", async () => {
    hub.files[DINO] = { "tokenizer.json": TOKENIZER };
    expect(await refusal()).toContain(`${DINO} has no onnx/model.onnx any more`);
  });

  it("if the bytes are not those of the list, of which nothing is kept", async () => {
    hub.fault = ({ url, isStorage }, response, bytes) => {
      if (!isStorage || !url.endsWith(".onnx")) return false;
      response.end(Buffer.alloc(bytes.length));
      return true;
    };
    expect(await refusal()).toContain("has another digest than the hub lists, and was deleted.");
    expect(await readdir(join(root, ".install-grounding-dino-tiny"))).toEqual([]);
  });

  it("without a person to accept the license, which is shown without control sequences", async () => {
    const shown = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => shown.mockRestore());
    expect(await refusal("sam3", false)).toContain("run the command again with --accept-licence");
    expect(shown.mock.calls.flat()).toEqual([
      "The SAM License.",
      "facebook/sam3 is under the SAM License: https://huggingface.co/facebook/sam3/blob/main/LICENSE",
    ]);
    expect(hub.of("sam3_decoder.onnx")).toEqual([]);
  });

  it("if the download is no model; it stays for the next run, next to the model folders", async () => {
    expect(await refusal("sam3")).toMatch(/The graph sam3_\w+\.onnx in .* can't be opened/);
    const downloaded = await readdir(join(root, ".install-sam3"));
    expect(downloaded).toContain("sam3_image_encoder.onnx.data");
    hub.requests.length = 0;
    await refusal("sam3");
    expect(hub.requests.filter(({ url }) => !url.startsWith("/api/"))).toEqual([]);
  });

  it("by a manifest that does not say where files come from", async () => {
    const command = { acceptLicence: true, force: false, provider: "cpu" } as const;
    const from = join("inference-container", "models", "builtin", "manifest.json");
    await expect(install({ ...command, model: { from } }, new AbortController().signal)).rejects.toThrow(
      `${from} does not say where its files come from: install did not write it.`,
    );
  });

  it("where another folder has the name", async () => {
    const folder = join(root, "sam3");
    await mkdir(folder);
    await writeFile(join(folder, "mine.onnx"), "mine");
    await expect(run("sam3")).rejects.toThrow(
      `There is no model in ${folder}: it has no manifest.json. Use --force`,
    );
    expect(await readdir(folder)).toEqual(["mine.onnx"]);
  });

  it("for an unknown name, or a malformed address", async () => {
    expect(await refusal("sam4")).toContain(
      'The catalog has no "sam4", only owlv2-base, owlvit-base, grounding-dino-tiny, rf-detr-seg-nano, rf-detr-seg-medium, rf-detr-seg-large, sam3.',
    );
    for (const address of ["huggingface.co", "ftp://a.example", "https://user:pass@a.example"]) {
      vi.stubEnv("HF_ENDPOINT", address);
      expect(await refusal()).toContain("HF_ENDPOINT must be the http(s) address of a hub");
    }
  });
});
