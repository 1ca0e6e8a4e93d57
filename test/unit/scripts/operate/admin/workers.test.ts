import { describe, expect, it } from "vitest";
import { addWorker, listWorkers, removeWorker } from "../../../../../scripts/operate/admin/workers.ts";
import { parseAdminArguments } from "../../../../../scripts/operate/admin/arguments.ts";

/** The operator's API, with one answer for every call. */
function answering(answer: unknown) {
  const asked: unknown[] = [];
  const call = async (...request: unknown[]): Promise<unknown> => {
    asked.push(request);
    return answer;
  };
  return { api: { call }, asked };
}

describe("the commands for workers", () => {
  it("print the line that starts a service, with its token", async () => {
    const { api, asked } = answering({
      name: "desk",
      token: "wkr_1",
      gatewayUrl: "wss://segmentation.example",
      storageOrigin: "https://account.r2.cloudflarestorage.com",
    });
    const { result, summary } = await addWorker(api, "desk");
    expect(asked).toEqual([["POST", "/workers", { name: "desk" }]]);
    expect(result).toEqual({ name: "desk", token: "wkr_1" });
    expect(summary).toContain(
      "docker run --gpus all -e GATEWAY_URL=wss://segmentation.example -e INFERENCE_TOKEN=wkr_1 " +
        "-e STORAGE_ORIGINS=https://account.r2.cloudflarestorage.com segmentation-inference:cuda",
    );
  });

  it("list each worker's connection time and tasks", async () => {
    const described = { model: "builtin 1.3.0", device: "cuda, 1 in service", version: "0.1.0" };
    const absent = { model: null, device: null, version: null, tasks: 0, connectedSince: null };
    const { api } = answering({
      workers: [
        { name: "desk", isConnected: true, ...described, tasks: 3, connectedSince: Date.UTC(2026, 0, 2) },
        { name: "rented", isConnected: false, ...absent },
      ],
    });
    expect(await listWorkers(api)).toEqual({
      result: [
        { name: "desk", ...described, tasks: 3, connectedSince: "2026-01-02T00:00:00.000Z" },
        { name: "rented", ...absent },
      ],
      summary: "2 workers, 1 connected.",
    });
  });

  it("remove a worker by its name", async () => {
    const { api, asked } = answering({ name: "desk" });
    await removeWorker(api, "desk");
    expect(asked).toEqual([["POST", "/workers/desk/remove"]]);
  });

  it.each(["Desk", "a b", "../jobs", "a-", ""])("refuse the name %j", (name) => {
    expect(() => parseAdminArguments(["add-worker", "--name", name])).toThrow(/lowercase letters/);
  });
});
