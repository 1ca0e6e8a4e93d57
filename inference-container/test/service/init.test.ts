import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { endMarked, findMarked } from "../../../scripts/shared/marked-processes.ts";
import { startWorkerSide } from "../support/service/fake-worker.ts";
import { movingSquare } from "../support/video/moving-square.ts";
import { until } from "../support/service/running-service.ts";

const MAIN = fileURLToPath(new URL("../support/service/fixture-main.ts", import.meta.url));
/** The images' entry point; as a subreaper (-s) it gets orphans as process 1 of a container does. */
const INIT = ["tini", "-s", "--"] as const;
const hasInit = spawnSync(INIT[0], ["--version"]).status === 0;
const Line = z.looseObject({ msg: z.string(), url: z.string().optional() });

/** The processes with a mark that run this command. */
const running = (mark: Record<string, string>, word: string): number[] =>
  findMarked(mark).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });

test.skipIf(!hasInit)(
  "the FFmpegs of a killed engine leave no process behind, dead or alive, under the images' init",
  async () => {
    const worker = await startWorkerSide();
    const mark = { INIT_TEST: randomUUID() };
    onTestFinished(async () => {
      await endMarked(mark);
      await worker.close();
    });
    worker.inputs.set("clip.mp4", movingSquare(30));
    const [command, ...rest] = [...INIT, process.execPath, MAIN];
    const child = spawn(command, rest, {
      env: {
        ...mark,
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        PORT: "0",
        MODEL_FOLDER: "fixture",
        STORAGE_ORIGINS: worker.origin,
        CALLBACK_ORIGINS: worker.origin,
        DRAIN_SECONDS: "0.1",
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines: z.infer<typeof Line>[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(Line.parse(JSON.parse(line))));
    await until(() => lines.some(({ msg }) => msg === "ready"));
    const url = lines.find(({ msg }) => msg === "listening")?.url ?? "";
    await fetch(`${url}/v1/tasks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(worker.videoRequest({ prompts: ["slow"], generatePreview: true })),
    });
    await until(() => running(mark, "ffmpeg").length === 2);
    const ffmpegs = running(mark, "ffmpeg");
    const [engine = expect.fail("no engine runs")] = running(mark, "engine/child.ts");
    process.kill(-engine, "SIGKILL");
    // A process that is dead and not collected still has its folder there.
    await until(() => ffmpegs.every((pid) => !existsSync(`/proc/${pid}`)));
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    // The init passes on the signal and the service's exit code.
    expect(await ended).toEqual([0, null]);
  },
);
