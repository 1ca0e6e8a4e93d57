import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Fault, FakeHub } from "../../../../inference-container/test/support/fake-hub.ts";
import { FAMILIES } from "../../../../inference-container/src/models/families.ts";
import { CATALOGUE, type CatalogueModel } from "../../../../scripts/models/install/catalogue.ts";
import { type Download, downloadFile } from "../../../../scripts/models/install/download.ts";
import { Hub, hubOf } from "../../../../scripts/models/install/hub.ts";
import { install } from "../../../../scripts/models/install/install.ts";
import { listLines } from "../../../../scripts/models/print.ts";
import { planFromCatalogue } from "../../../../scripts/models/install/plan.ts";

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
  it("without a token, where the hub wants one, and says where to get it", async () => {
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

  it("if nobody is there to accept the licence, which is shown without its control sequences", async () => {
    const shown = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => shown.mockRestore());
    expect(await refusal("sam3", false)).toContain("run the command again with --accept-licence");
    expect(shown.mock.calls.flat()).toEqual([
      "The SAM License.",
      "facebook/sam3 is under the SAM License: https://huggingface.co/facebook/sam3/blob/main/LICENSE",
    ]);
    expect(hub.of("sam3_decoder.onnx")).toEqual([]);
  });

  it("if what was downloaded is no model; it stays for the next run, beside the model folders", async () => {
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

  it("for a name that the catalogue lacks, or an address that is none", async () => {
    expect(await refusal("sam4")).toContain(
      'The catalogue has no "sam4", only owlv2-base, owlvit-base, grounding-dino-tiny, rf-detr-seg-nano, rf-detr-seg-medium, rf-detr-seg-large, sam3.',
    );
    for (const address of ["huggingface.co", "ftp://a.example", "https://user:pass@a.example"]) {
      vi.stubEnv("HF_ENDPOINT", address);
      expect(await refusal()).toContain("HF_ENDPOINT must be the http(s) address of a hub");
    }
  });
});

describe("a file of a hub", () => {
  const file = (content: Uint8Array = GRAPH): Download => ({
    name: "graph.onnx",
    size: content.length,
    digest: { kind: "sha256", hex: createHash("sha256").update(content).digest("hex") },
    source: { repository: DINO, commit: "c0ffee".padEnd(40, "0"), path: "onnx/model.onnx" },
  });
  const path = (): string => join(root, "graph.onnx");
  const download = async (wanted = file()): Promise<number[]> => {
    const progress: number[] = [];
    await downloadFile(new Hub(`${hub.url}/`, TOKEN), wanted, root, (bytes) => progress.push(bytes));
    expect(GRAPH.equals(await readFile(path()))).toBe(true);
    expect(progress.at(-1)).toBe(GRAPH.length);
    return progress;
  };
  const ranges = (): unknown[] => hub.requests.filter(({ isStorage }) => isStorage).map(({ range }) => range);

  it("comes from the host that the hub redirects to, which does not get the token", async () => {
    await download();
    expect(hub.requests.map(({ isStorage, authorization }) => [isStorage, authorization])).toEqual([
      [false, `Bearer ${TOKEN}`],
      [true, undefined],
    ]);
  });

  it("is not downloaded again, and what is there of it is not either", async () => {
    await writeFile(path(), GRAPH.subarray(0, 60_000));
    expect((await download())[0]).toBe(60_000);
    await download();
    expect(ranges()).toEqual(["bytes=60000-"]);
  });

  it.each([
    ["another beginning", randomBytes(60_000)],
    ["more than the file", randomBytes(100_001)],
    ["other bytes of the same number", randomBytes(100_000)],
  ])("comes whole where %s is there", async (_, there) => {
    await writeFile(path(), there);
    await download();
    expect(ranges().at(-1)).toBeUndefined();
  });

  it("goes on after a connection that broke twice, and after a server that is overloaded", async () => {
    let broken = 0;
    hub.fault = ({ isStorage, range }, response, bytes) => {
      if (!isStorage || broken === 3) return false;
      broken += 1;
      if (broken === 2) response.writeHead(503).end();
      else {
        const start = Number(/\d+/.exec(range ?? "0"));
        response.writeHead(start === 0 ? 200 : 206, { "content-length": bytes.length - start });
        response.write(bytes.subarray(start, start + 30_000));
        const isThere = async (): Promise<boolean> =>
          (await readFile(path()).catch(() => "")).length === start + 30_000;
        void vi.waitUntil(isThere, { timeout: 60_000 }).then(() => response.destroy());
      }
      return true;
    };
    await download();
    expect(ranges()).toEqual([undefined, "bytes=30000-", "bytes=30000-", "bytes=60000-"]);
  });

  it("comes whole from a server that knows no ranges", async () => {
    hub.fault = ({ isStorage }, response, bytes) => {
      if (isStorage) response.end(bytes);
      return isStorage;
    };
    await writeFile(path(), GRAPH.subarray(0, 60_000));
    await download();
  });

  it("may be no longer than the list says", async () => {
    await expect(download(file(GRAPH.subarray(0, 50_000)))).rejects.toThrow(
      "has another digest than the hub lists",
    );
    expect(await readdir(root)).toEqual([]);
  });

  it("is refused in a sentence where the disk is full", async () => {
    await symlink("/dev/full", path());
    await expect(download()).rejects.toThrow(
      `The disk is full: onnx/model.onnx of ${DINO} has no room on it. Make room, and run the command again.`,
    );
  });

  it("is refused in a sentence where the storage refuses it", async () => {
    hub.fault = ({ isStorage }, response) => {
      if (isStorage) response.writeHead(403).end();
      return isStorage;
    };
    await expect(download()).rejects.toThrow(
      `${new URL(hub.storage).host}, where ${new URL(hub.url).host} redirects, answered 403 for onnx/model.onnx of ${DINO}.`,
    );
  });
});

describe("the catalogue", () => {
  it.each([
    ["owlvit-base", "google/owlvit-base-patch32", "Xenova/owlvit-base-patch32"],
    ["owlv2-base", "google/owlv2-base-patch16-ensemble", "Xenova/owlv2-base-patch16-ensemble"],
  ])("has %s, of %s, from %s", async (name, of, repository) => {
    hub.files[repository] = { "onnx/model.onnx": GRAPH, "tokenizer.json": TOKENIZER };
    const { licences, downloads, embedded } = await planFromCatalogue(name, hubOf(process.env), CATALOGUE);
    expect(licences).toEqual([`${of} is under the Apache-2.0: https://www.apache.org/licenses/LICENSE-2.0`]);
    const commit = expect.stringMatching(/^c0ffee/);
    expect(downloads).toMatchObject([
      { name: `${name}.onnx`, source: { repository, commit, path: "onnx/model.onnx" } },
      { name: "tokenizer.json", source: { repository, commit, path: "tokenizer.json" } },
    ]);
    expect(embedded).toContain("sam2-encoder.onnx");
  });

  it("has RF-DETR Seg, of its package's own export, with the embedded model's words", async () => {
    hub.files["besit/rfdetr-onnx"] = { "rfdetr-seg-nano.onnx": GRAPH };
    const plan = await planFromCatalogue("rf-detr-seg-nano", hubOf(process.env), CATALOGUE);
    expect(plan.licences).toEqual([
      "RF-DETR Seg nano, by Roboflow, is under the Apache-2.0: https://www.apache.org/licenses/LICENSE-2.0",
    ]);
    expect(plan.downloads).toMatchObject([
      { name: "rf-detr-seg.onnx", source: { path: "rfdetr-seg-nano.onnx" } },
    ]);
    expect([...plan.own.keys()]).toContain("embedded.json");
    expect(plan.embedded).toContain("minilm.onnx");
  });

  it("begins with the best published model for words", () => {
    const rated = CATALOGUE.flatMap(({ cgF1 }) => (cgF1 === undefined ? [] : [cgF1]));
    expect(CATALOGUE[0]?.cgF1).toBe(Math.max(...rated));
    expect(listLines("/models", [], []).join("\n")).toContain(
      "To install: owlv2-base (Apache-2.0, about 615 MB, published cgF1 17.27); owlvit-base",
    );
  });

  it("names families that can be loaded", () => {
    for (const { family } of CATALOGUE) expect([...FAMILIES.keys()]).toContain(family);
  });

  it("is asked at Hugging Face, unless HF_ENDPOINT says otherwise", () => {
    expect(hubOf({}).address).toBe("https://huggingface.co");
    expect(hubOf({ HF_ENDPOINT: "https://mirror.example/hf/" }).address).toBe("https://mirror.example/hf");
  });
});
