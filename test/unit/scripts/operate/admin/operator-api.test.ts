import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { listen } from "../../../../../scripts/shared/listen.ts";
import {
  openLocalOperatorApi,
  openRemoteOperatorApi,
  operatorApiAt,
} from "../../../../../scripts/shared/database/operator-api.ts";
import { showJob } from "../../../../../scripts/operate/admin/operate.ts";
import { stateFolder } from "../../../../../scripts/shared/state/state-folder.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
  vi.unstubAllEnvs();
});

const { signal } = new AbortController();

/** Returns the API of a Worker with this answer; `seen` are its requests. */
async function apiOf(status: number, text: string) {
  const seen: Pick<IncomingMessage, "method" | "url" | "headers">[] = [];
  server = createServer((request, response) => {
    seen.push(request);
    response.writeHead(status).end(text);
  });
  return { seen, api: operatorApiAt(await listen(server), "the-token", signal) };
}

describe("the operator's API, asked by npm run admin", () => {
  it("is asked with the operator's token, and its answer comes back", async () => {
    const { api, seen } = await apiOf(200, '{"state":"erased"}');
    expect(await api.call("POST", "/accounts/acct_1/erase")).toEqual({ state: "erased" });
    expect(seen).toMatchObject([
      {
        method: "POST",
        url: "/internal/operator/accounts/acct_1/erase",
        headers: { authorization: "Bearer the-token" },
      },
    ]);
  });

  it.each([
    [401, '{"error":"Unauthorized","message":"No."}', "The Worker refuses OPERATOR_TOKEN."],
    [404, '{"error":"not_found","message":"There is no account acct_1."}', "There is no account acct_1."],
    [500, "{}", "answers 500."],
    [530, "<html>", "answers 530, but not like the Worker."],
  ])("says what went wrong in a sentence: %i %s", async (status, text, sentence) => {
    const { api } = await apiOf(status, text);
    await expect(api.call("GET", "/stuck-jobs")).rejects.toThrow(sentence);
  });

  it("names its missing need: an answer, a running stack, a token", async () => {
    await expect(operatorApiAt("http://127.0.0.1:1", "t", signal).call("GET", "/")).rejects.toThrow(
      "http://127.0.0.1:1 does not answer",
    );
    await expect(openLocalOperatorApi(stateFolder("/nowhere"), signal)).rejects.toThrow("npm start");
    vi.stubEnv("OPERATOR_TOKEN", "");
    await expect(openRemoteOperatorApi("wrangler.toml", signal)).rejects.toThrow("OPERATOR_TOKEN is not set");
    vi.stubEnv("OPERATOR_TOKEN", "the-token");
    await expect(openRemoteOperatorApi("wrangler.toml", signal)).rejects.toThrow(
      "is an address of this machine",
    );
  });
});

describe("show-job", () => {
  const row = { id: "job_1", status: "queued" };
  const rowOf = async () => row;

  it("shows the job's row, and says why, if the Worker was killed, no stack was started or there is no token", async () => {
    const killed = operatorApiAt("http://127.0.0.1:1", "t", signal);
    expect(await showJob(async () => killed, rowOf, "job_1")).toMatchObject({
      result: row,
      summary: expect.stringContaining("http://127.0.0.1:1 does not answer"),
    });
    const none = () => openLocalOperatorApi(stateFolder("/nowhere"), signal);
    expect(await showJob(none, rowOf, "job_1")).toMatchObject({
      result: row,
      summary: expect.stringContaining("npm start"),
    });
    vi.stubEnv("OPERATOR_TOKEN", "");
    expect(await showJob(() => openRemoteOperatorApi("wrangler.toml", signal), rowOf, "job_1")).toMatchObject(
      { result: row },
    );
  });

  it("does not take the row for the answer of a Worker that refuses or does not know the job", async () => {
    for (const [status, sentence] of [
      [401, "refuses OPERATOR_TOKEN"],
      [404, "There is no job."],
    ] as const) {
      const { api } = await apiOf(status, '{"error":"x","message":"There is no job."}');
      await expect(showJob(async () => api, rowOf, "job_1")).rejects.toThrow(sentence);
      server?.close();
    }
  });
});
