import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Usage } from "../../../src/device/usage.ts";
import { readManifest } from "../../../src/models/folder.ts";
import { GraphSet } from "../../../src/models/graph.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../../src/models/loaded-model.ts";
import { Sam3Manifest } from "../../../src/models/sam3/manifest.ts";
import { TextEncoder } from "../../../src/models/sam3/text-encoder.ts";
import { ClipTokenizer } from "../../../src/models/text/clip-tokenizer.ts";
import { fixtureFolder } from "./fixture-folder.ts";

let folder: string;
let graphs: GraphSet;
beforeAll(async () => {
  folder = await fixtureFolder(await mkdtemp(join(tmpdir(), "text-encoder-")));
  graphs = new GraphSet(folder, DEFAULT_LOAD_OPTIONS);
});
afterAll(async () => {
  await graphs.close();
  await rm(folder, { recursive: true });
});

async function encoder(cacheBytes: number): Promise<TextEncoder> {
  const manifest = await readManifest(folder, Sam3Manifest);
  const tokenizer = await ClipTokenizer.load(folder, manifest.text);
  return new TextEncoder(await graphs.load(manifest.graphs.text), tokenizer, () => true, cacheBytes);
}

describe("the features of a prompt", () => {
  it("are computed once for every way of writing the same tokens", async () => {
    const text = await encoder(1_000_000);
    const first = await text.encode("red", new Usage());
    expect(await text.encode("  Red ", new Usage())).toBe(first);
    expect(await text.encode("green", new Usage())).not.toBe(first);
    text.forget();
    expect(await text.encode("red", new Usage())).not.toBe(first);
  });

  it("are not kept beyond their budget", async () => {
    const text = await encoder(1_000);
    const first = await text.encode("red", new Usage());
    expect(await text.encode("red", new Usage())).not.toBe(first);
  });
});
