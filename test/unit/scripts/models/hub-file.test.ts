import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeHub } from "../../../../inference-container/test/support/fake-hub.ts";
import { type Download, downloadFile } from "../../../../scripts/models/install/download.ts";
import { Hub } from "../../../../scripts/models/install/hub.ts";

const DINO = "onnx-community/grounding-dino-tiny-ONNX";
const GRAPH = randomBytes(100_000);
const TOKEN = "hf_secret";

let root: string;
let hub: FakeHub;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hub-file-"));
  hub = await FakeHub.start({ [DINO]: { "onnx/model.onnx": GRAPH } });
});

afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
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

  it("is never downloaded twice, not even in part", async () => {
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

  it("continues after a connection that broke twice, and after a server that is overloaded", async () => {
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

  it("is refused in a sentence if the disk is full", async () => {
    await symlink("/dev/full", path());
    await expect(download()).rejects.toThrow(
      `The disk is full: onnx/model.onnx of ${DINO} has no room on it. Make room, and run the command again.`,
    );
  });

  it("is refused in a sentence if the storage refuses it", async () => {
    hub.fault = ({ isStorage }, response) => {
      if (isStorage) response.writeHead(403).end();
      return isStorage;
    };
    await expect(download()).rejects.toThrow(
      `${new URL(hub.storage).host}, where ${new URL(hub.url).host} redirects, answered 403 for onnx/model.onnx of ${DINO}.`,
    );
  });
});
