import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tensorsOf } from "../../../../inference-container/test/support/model-server/fake-model.ts";
import {
  type FakeServer,
  startPlayedServer,
} from "../../../../inference-container/test/support/model-server/fake-model-server.ts";
import { checkModel } from "../../../../scripts/models/check.ts";
import { describeServer } from "../../../../scripts/models/describe-server.ts";
import { descriptionLines, reportLines } from "../../../../scripts/models/print.ts";
import { PROJECT_ROOT } from "../../../../scripts/shared/root.ts";

const { signal } = new AbortController();

let folder: string;
let server: FakeServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "models-"));
  server = await startPlayedServer();
  await cp(join(PROJECT_ROOT, "inference-container/models/builtin/golden.jpg"), join(folder, "golden.jpg"));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

describe("a folder for a server's model", () => {
  const written = async (): Promise<string> => await readFile(join(folder, "manifest.json"), "utf8");

  it("is described by the model's address, and checked with the tensors that the service sends and reads", async () => {
    const url = `${server.origin}/v2/models/fixture/versions/1`;
    const description = await describeServer(folder, { force: false, server: url });
    expect(JSON.parse(await written())).toMatchObject({
      family: "kserve",
      server: { origin: server.origin, model: "fixture", version: "1", concurrency: 8 },
      files: [
        { name: "golden.jpg", size: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
    });
    expect(descriptionLines(folder, description).join("\n")).toContain("the server's address");

    server.infer = (seen) => {
      const box = [1, 0, 292, 190] as const;
      return { tensors: tensorsOf([{ promptIndex: 0, score: 0.8, box }], seen) };
    };
    const report = await checkModel({ folder, provider: "cpu", cpuNodes: true }, signal);
    if (!report.usable) throw new Error(report.error);
    const lines = reportLines(folder, report).join("\n");
    expect(lines).toContain(`fixture at ${server.origin}`);
    expect(lines).toMatch(/in +image +image +UINT8 +\[height, width, 3\]/);
    expect(lines).toMatch(/out +masks +masks +FP16 +\[objects, 288, 288\]/);
    expect(lines).toMatch(/execution provider +kserve/);
  });

  it("is not written for a model with other tensors, nor over a manifest", async () => {
    const url = `${server.origin}/v2/models/fixture`;
    server.metadata.outputs.pop();
    await expect(describeServer(folder, { force: false, server: url })).rejects.toThrow('no output "masks"');
    await writeFile(join(folder, "manifest.json"), "mine");
    await expect(describeServer(folder, { force: false, server: url })).rejects.toThrow("already exists");
    expect(await written()).toBe("mine");
  });

  it.each(["triton:8000", "http://triton:8000", "http://triton/v2/models/a?b=c", "ftp://triton/v2/models/a"])(
    "is not described by %s, which is no model's address",
    async (url) => {
      await expect(describeServer(folder, { force: false, server: url })).rejects.toThrow("--server must be");
    },
  );

  it("can't be used while the server's results differ from the manifest", async () => {
    await describeServer(folder, { force: false, server: `${server.origin}/v2/models/fixture` });
    const report = await checkModel({ folder, provider: "cpu", cpuNodes: true }, signal);
    expect(report).toMatchObject({ usable: false, error: expect.stringContaining("failed its self-test") });
  });
});
