import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../../src/models/folder.ts";
import { GraphSet } from "../../../src/models/graph-set.ts";
import { Sam3Manifest } from "../../../src/models/sam3/manifest.ts";
import { TextEncoder } from "../../../src/models/sam3/text-encoder.ts";
import { ClipTokenizer } from "../../../src/models/sam3/tokenizer.ts";
import { plantedFolder } from "./planted-folder.ts";

let folder: string;
let graphs: GraphSet;
beforeAll(async () => {
  folder = await plantedFolder(await mkdtemp(join(tmpdir(), "text-encoder-")), "layout-b");
  graphs = new GraphSet(folder, { provider: "cpu", threads: 1 });
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
    const first = await text.encode("red");
    expect(await text.encode("  Red ")).toBe(first);
    expect(await text.encode("green")).not.toBe(first);
    text.forget();
    expect(await text.encode("red")).not.toBe(first);
  });

  it("are not kept beyond their budget", async () => {
    const text = await encoder(1_000);
    const first = await text.encode("red");
    expect(await text.encode("red")).not.toBe(first);
  });
});
