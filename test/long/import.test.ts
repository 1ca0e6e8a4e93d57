import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stackMark, stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { ImportedUpload } from "../../src/uploads/contract/upload.ts";
import { type FileServer, startFileServer } from "../support/network/file-server.ts";
import { type SpawnedStack, spawnStack } from "../support/stack/spawn-stack.ts";
import { peakOfWorker } from "../support/runtime/worker-memory.ts";

const MEGA = 1_000_000;
const SMALL = 10 * MEGA;
const LARGE = 400 * MEGA;
/**
 * Half of the large file: an import in memory takes at least all of it. The runtime's own heap and buffers grew by 120 to 140 MB,
 * for files of 200 MB as for those of 400 MB.
 */
const MOST_GROWTH = LARGE / 2;
/** The first bytes of an MP4, which anything may follow. */
const HEAD = Buffer.from("\0\0\0\x18ftypisom\0\0\0\0", "latin1");
const PIECE = Buffer.alloc(65_536);

/** A video of this many bytes; no piece of it is made before it is sent. */
function* clip(size: number): Generator<Buffer> {
  yield HEAD;
  for (let left = size - HEAD.length; left > 0; left -= PIECE.length) yield PIECE.subarray(0, left);
}

describe("an import of 400 MB on the whole stack", () => {
  let stateDir: string;
  let stack: SpawnedStack;
  let source: FileServer;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "import-"));
    stack = await spawnStack({ stateDir });
    const send = (response: ServerResponse, size: number) => void Readable.from(clip(size)).pipe(response);
    const sized = (size: number) => (response: ServerResponse) =>
      send(response.writeHead(200, { "content-length": size }), size);
    const unsized = (size: number) => (response: ServerResponse) => send(response, size);
    source = await startFileServer({
      "/sized/small": sized(SMALL),
      "/sized/large": sized(LARGE),
      "/unsized/small": unsized(SMALL),
      "/unsized/large": unsized(LARGE),
    });
  });
  afterAll(async () => {
    source.close();
    await stack.stop();
    await rm(stateDir, { recursive: true });
  });

  /** Imports a file, and returns the peak of the Worker's memory meanwhile. */
  const peakOf = (path: string, size: number): Promise<number> =>
    peakOfWorker(stackMark(stateFolder(stateDir)), async () => {
      const response = await fetch(`${stack.baseUrl}/v1/uploads/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${stack.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ url: source.url(path) }),
      });
      expect(ImportedUpload.parse(await response.json())).toMatchObject({ contentType: "video/mp4", size });
    });

  it.each(["sized", "unsized"])(
    "takes no more memory than files of 10 MB that have as many bytes together, from a source that answers %s",
    async (way) => {
      let small = 0;
      // What they leave to the garbage collector is as much, too.
      for (let bytes = 0; bytes < LARGE; bytes += SMALL)
        small = Math.max(small, await peakOf(`/${way}/small`, SMALL));
      const large = await peakOf(`/${way}/large`, LARGE);
      // The console of a test that passes is not shown.
      process.stdout.write(
        `${way}: peak of the runtime, MB: ${Math.round(small / MEGA)} of small ones, ${Math.round(large / MEGA)} of a large one\n`,
      );
      expect(large).toBeLessThan(small + MOST_GROWTH);
    },
  );
});
