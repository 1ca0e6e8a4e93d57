import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endMarked, findMarked } from "../../../../scripts/shared/marked-processes.ts";
import { PROJECT_ROOT } from "../../../../scripts/shared/root.ts";
import {
  formatEnvFile,
  inferenceToken,
  withoutRemoteService,
  workerValues,
} from "../../../../scripts/local/stack/worker-values.ts";
import { isFolderLocked, lockFolder } from "../../../../scripts/shared/state/folder-lock.ts";
import { listeningUrl } from "../../../../scripts/shared/child.ts";
import { newsLine, readableLine } from "../../../../scripts/local/stack/log-lines.ts";
import { claimPort, parsePort } from "../../../../scripts/shared/port.ts";
import { loadSecrets } from "../../../../scripts/shared/state/secrets.ts";
import { createStateFolder, stackMark, stateFolder } from "../../../../scripts/shared/state/state-folder.ts";
import { waitForOk } from "../../../../scripts/shared/wait-for.ts";
import { readLocalStorage } from "../../../../scripts/shared/cloudflare/wrangler-settings.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stack-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs code in a separate Node process and waits for its first output. */
async function inAnotherProcess(code: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

describe("a state folder", () => {
  it("is readable by its owner only, as are the secrets in it", async () => {
    const state = stateFolder(folder);
    await createStateFolder(state);
    await loadSecrets(state);
    expect((await stat(state.path)).mode & 0o777).toBe(0o700);
    expect((await stat(state.secrets)).mode & 0o777).toBe(0o600);
  });

  it("keeps its secrets over restarts, different from another folder's", async () => {
    const state = stateFolder(folder);
    const secrets = await loadSecrets(state);
    const other = stateFolder(await mkdtemp(join(folder, "other-")));
    expect(await loadSecrets(state)).toEqual(secrets);
    expect(await loadSecrets(other)).not.toEqual(secrets);
  });

  it("belongs to one stack at a time, and is free again when that stack is killed", async () => {
    const state = stateFolder(folder);
    const module = pathToFileURL(join(PROJECT_ROOT, "scripts", "shared", "state", "folder-lock.ts")).href;
    const holder = await inAnotherProcess(
      `import { lockFolder } from ${JSON.stringify(module)};
       globalThis.held = lockFolder(${JSON.stringify(state)});
       console.log("held"); setInterval(() => {}, 1000);`,
    );
    expect(() => lockFolder(state)).toThrow(`Another stack (process ${holder.pid}) uses ${state.path}.`);
    expect(isFolderLocked(state)).toBe(true);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(isFolderLocked(state)).toBe(false);
    lockFolder(state).release();
  });
});

describe("the remains of a killed stack", () => {
  it("are found by their mark, including grandchildren, and ended", async () => {
    const mark = stackMark(stateFolder(folder));
    const parent = await inAnotherProcess(
      `import { spawn } from "node:child_process";
       spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
       console.log("up"); setInterval(() => {}, 1000);`,
      mark,
    );
    expect(findMarked(mark)).toContain(parent.pid);
    expect(findMarked(mark)).toHaveLength(2);
    expect(await endMarked(mark)).toBe(2);
    expect(findMarked(mark)).toEqual([]);
  });

  it("is distinguished from the processes of another state folder", async () => {
    const child = await inAnotherProcess(`console.log("up"); setInterval(() => {}, 1000);`, {
      ...stackMark(stateFolder(join(folder, "a"))),
    });
    expect(await endMarked(stackMark(stateFolder(join(folder, "ab"))))).toBe(0);
    expect(await endMarked(stackMark(stateFolder(join(folder, "a"))))).toBe(1);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
});

describe("a port", () => {
  it.each(["", "x", "-1", "65536", "80.5"])("is not %j", (text) => {
    expect(() => parsePort(text)).toThrow("PORT must be a number");
  });

  it("that is taken is refused with a sentence, and 0 gives a free one", async () => {
    const port = await claimPort(0);
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    await expect(claimPort(port)).rejects.toThrow(`Port ${port} is in use.`);
    server.close();
  });
});

describe("waiting for an address that does not answer", () => {
  it("ends with the reason given by the caller that ends it", async () => {
    const port = await claimPort(0);
    const broken = new AbortController();
    const waiting = waitForOk(`http://127.0.0.1:${port}`, 60_000, broken.signal);
    setTimeout(() => broken.abort(new Error("it crashed")), 300);
    await expect(waiting).rejects.toThrow("it crashed");
  });

  it("ends with false after its time limit", async () => {
    const port = await claimPort(0);
    expect(await waitForOk(`http://127.0.0.1:${port}`, 0, new AbortController().signal)).toBe(false);
  });
});

describe("the Worker's variables", () => {
  const secrets = {
    MASTER_SECRET: "s".repeat(43),
    INFERENCE_TOKEN: "t".repeat(43),
    OPERATOR_TOKEN: "o".repeat(43),
  };

  it("point to this machine with the credentials of wrangler.toml, unless the operator says otherwise", async () => {
    const storage = await readLocalStorage();
    const values = workerValues("http://127.0.0.1:1", "http://127.0.0.1:2", storage, secrets, {
      MAX_PROMPTS: "3",
    });
    expect(values).toMatchObject({
      ...secrets,
      S3_ENDPOINT: "http://127.0.0.1:1/cdn-cgi/local/r2/s3",
      S3_BUCKET: storage.bucket,
      S3_ACCESS_KEY_ID: storage.accessKeyId,
      INFERENCE_URL: "http://127.0.0.1:2",
      MAX_PROMPTS: "3",
      LOCAL_STACK: "yes",
    });
  });

  it("need the token of an inference service that the operator names", () => {
    expect(() => inferenceToken({ INFERENCE_URL: "http://gpu" }, secrets)).toThrow(
      "INFERENCE_URL is set without INFERENCE_TOKEN",
    );
    expect(inferenceToken({ INFERENCE_URL: "http://gpu", INFERENCE_TOKEN: "x" }, secrets)).toBe("x");
    expect(inferenceToken({}, secrets)).toBe(secrets.INFERENCE_TOKEN);
  });

  it("name no service elsewhere if the stack has to serve a folder that it was given", () => {
    const settings = { INFERENCE_URL: "http://gpu", INFERENCE_TOKEN: "x", MAX_PROMPTS: "8" };
    expect(withoutRemoteService(settings)).toEqual({ MAX_PROMPTS: "8" });
  });

  it("are refused by name, and not by value, if the Worker would refuse them", async () => {
    const storage = await readLocalStorage();
    const values = () =>
      workerValues("http://127.0.0.1:1", "http://127.0.0.1:2", storage, secrets, { MAX_PROMPTS: "many" });
    expect(values).toThrow("MAX_PROMPTS");
    expect(values).not.toThrow("many");
  });

  it("are written so that Wrangler expands and cuts nothing", () => {
    expect(formatEnvFile({ A: 'a#b "c"', B: "$HOME", C: "it's" })).toBe(
      "A='a#b \"c\"'\nB='\\$HOME'\nC=`it's`\n",
    );
    expect(() => formatEnvFile({ A: "'`" })).toThrow("A contains both");
  });
});

describe("the inference service's line that says where it listens", () => {
  it("returns the address, and no other line does", () => {
    expect(listeningUrl('{"msg":"listening","url":"http://127.0.0.1:9"}')).toBe("http://127.0.0.1:9");
    expect(listeningUrl('{"msg":"ready","url":"http://127.0.0.1:9"}')).toBeNull();
    expect(listeningUrl('"listening" is no JSON line')).toBeNull();
  });
});

describe("a log line for people", () => {
  it.each([
    ['{"level":40,"time":1,"msg":"slow","ms":12,"stage":"decode"}', "warn: slow  ms=12  stage=decode"],
    ['{"level":30,"msg":"ready","ms":{"load":3}}', 'ready  ms={"load":3}'],
    ['{"level":"info","event":"request","status":200}', "request  status=200"],
    ['{"level":"error","event":"task_lost"}', "error: task_lost"],
    ["{not JSON", "{not JSON"],
    ["plain text", "plain text"],
  ])("of %s", (line, readable) => {
    expect(readableLine(line)).toBe(readable);
  });
});

describe("the output of npm start from the parts' logs", () => {
  it("is a line for each ended job and each problem, and nothing else", () => {
    const json = (fields: object): string => JSON.stringify({ time: "2026-11-26T12:00:00.000Z", ...fields });
    const log = [
      json({ level: "info", event: "request", operation: "createJob", status: 202, ms: 12 }),
      json({ level: "info", event: "cron_ended", cron: "*/5 * * * *", ms: 3 }),
      json({ level: "info", event: "job_started", jobId: "job_1", ms: 400 }),
      json({
        level: "info",
        event: "job_ended",
        jobId: "job_1",
        lane: "interactive",
        ms: 2_345,
        status: "success",
      }),
      json({ level: "info", event: "inference_busy", status: 429 }),
      json({ level: "warn", event: "inference_busy", status: 401 }),
      json({ level: 30, msg: "task" }),
      json({ level: 50, msg: "engine_error", err: "out of memory" }),
      "✘ [ERROR] kj::getCaughtExceptionAsKj() = kj/async-io-unix.c++:186: disconnected: ::read(fd): Connection reset by peer",
      "✘ [ERROR] e = kj/async-io-unix.c++:1293: failed: DNS lookup failed.; params.host = example.invalid",
      "  at workerd/io/worker.c++:1234",
      "✘ [ERROR] Uncaught Error: it broke",
      "",
      "⎔ Starting local server...",
    ];
    expect(log.map((line) => newsLine("worker", line)).filter((line) => line !== null)).toEqual([
      "job_1: success after 2.3 s",
      "[worker] warn: inference_busy  status=401",
      "[worker] error: engine_error  err=out of memory",
      "[worker] error: Uncaught Error: it broke",
    ]);
  });
});
