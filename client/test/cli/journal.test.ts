import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Entry } from "../../src/cli/segment/journal/entries.ts";
import { JOURNAL_NAME } from "../../src/cli/segment/journal/journal.ts";
import { openFlags } from "../../src/cli/segment/journal/lock.ts";
import { formatTable } from "../../src/cli/print/table.ts";
import { printReport } from "../../src/cli/segment/output/report.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import type { CocoDocument } from "segmentation-client";
import { picture } from "../support/memory-client.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { NO_TERMINAL, runCli } from "./support/run-cli.ts";
import { isLong } from "../../../inference-container/test/support/form.ts";

const JOURNAL = join(PROJECT_ROOT, "client/src/cli/segment/journal/journal.ts");
const OPENER = join(import.meta.dirname, "support", "open-journal.ts");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "journal-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Starts a process that opens the folder's journal, and gives the first line that it prints. */
async function open(command: string, ...args: readonly string[]) {
  const child = spawn(command, [...args, OPENER, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  const [piece]: Buffer[] = await once(child.stdout, "data");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { line: piece?.toString().trim() ?? "", kill };
}

const reading = (id: string): Entry => ({ entry: "read", id, name: id, size: 1, mtimeMs: 1, digest: id });

describe("the lock of a journal", () => {
  it("belongs to one process at a time, until that process ends in any way", async () => {
    const first = await open(process.execPath);
    expect(first.line).toMatch(/^open/);
    const second = await open(process.execPath);
    expect(second.line).toBe(
      `Another run is writing to ${folder}. Wait until it ends, or choose another folder with --out.`,
    );
    await first.kill();
    const third = await open(process.execPath);
    expect(third.line).toMatch(/^open/);
    await Promise.all([second.kill(), third.kill()]);
  });

  it("is taken by only one of several processes that find a dead process's lock", async () => {
    await (await open(process.execPath)).kill();
    const runs = await Promise.all(Array.from({ length: 6 }, () => open(process.execPath)));
    expect(runs.filter(({ line }) => line.startsWith("open"))).toHaveLength(1);
    await Promise.all(runs.map(({ kill }) => kill()));
  });

  it("is free again after a kill in a container, where each process has the number 1", async () => {
    const container = ["--fork", "--pid", "--kill-child", process.execPath];
    try {
      execFileSync("unshare", ["--fork", "--pid", "true"], { stdio: "ignore" });
    } catch {
      return console.log("This machine allows no containers: processes with the same number are not tested.");
    }
    const first = await open("unshare", ...container);
    expect(first.line).toMatch(/^open/);
    const beside = await open("unshare", ...container);
    expect(beside.line, "another container that has the folder").toMatch(/^Another run/);
    await Promise.all([first.kill(), beside.kill()]);
    // The kernel ends the other processes of a container after its first one.
    await expect
      .poll(async () => {
        const again = await open("unshare", ...container);
        await again.kill();
        return again.line;
      })
      .toMatch(/^open/);
  });

  it("comes with opening the file on macOS and Windows, and no system opens it only to append", () => {
    expect(openFlags("darwin") & 0x24, "O_EXLOCK and O_NONBLOCK").toBe(0x24);
    expect(openFlags("win32") & 0x10000000, "shared with nobody").toBe(0x10000000);
    for (const platform of ["linux", "darwin", "win32"] as const)
      expect(openFlags(platform) & (constants.O_RDWR | constants.O_APPEND)).toBe(constants.O_RDWR);
  });
});

describe("a journal on a disk that is full", () => {
  /**
   * Appends lines until a disk, or the file's limit, is full; then more once there is room. Prints the result as JSON.
   */
  const FILL = `
    import { rmSync, writeFileSync } from "node:fs";
    const { Journal } = await import(${JSON.stringify(JOURNAL)});
    const [folder, other] = process.argv.slice(1);
    if (other) writeFileSync(other, Buffer.alloc(6 * 4096));
    const journal = await Journal.open(folder);
    const written = [], codes = [];
    const append = (id) => {
      try {
        journal.append({ entry: "read", id, name: id, size: 1, mtimeMs: 1, digest: id });
        written.push(id);
      } catch (error) {
        codes.push(error.code);
      }
    };
    for (const id of ["a", "b", "c", "d", "e"]) append(id.repeat(1000));
    if (other) rmSync(other);
    for (const id of ["short", "f".repeat(1000)]) append(id);
    journal.close();
    const again = await Journal.open(folder);
    console.log(JSON.stringify({ written, codes, read: [...again.state.readings.keys()] }));`;
  interface Filled {
    readonly written: string[];
    readonly codes: string[];
    readonly read: string[];
  }
  const fill = (command: string, args: readonly string[], other = ""): Filled =>
    JSON.parse(
      execFileSync(command, [...args, process.execPath, "--input-type=module", "-e", FILL, folder, other], {
        encoding: "utf8",
      }),
    );

  it("loses only the line that does not fit, and continues once there is room", () => {
    // In a separate namespace, so that the disk disappears with the process.
    const onSmallDisk = [
      "--mount",
      "bash",
      "-c",
      `mount -t tmpfs -o size=32k none ${folder} && exec "$@"`,
      "-",
    ];
    try {
      execFileSync("unshare", [...onSmallDisk, "true"], { stdio: "ignore" });
    } catch {
      return console.log("This machine mounts no disks: a full one is tested by the limit of a file.");
    }
    const { written, codes, read } = fill("unshare", onSmallDisk, join(folder, "other"));
    expect(codes).toEqual(["ENOSPC", "ENOSPC", "ENOSPC"]);
    expect(read).toEqual(written);
    expect(read.map(([first]) => first)).toEqual(["a", "b", "s", "f"]);
  });

  it("loses only the line that does not fit if the file has a size limit", () => {
    const { written, codes, read } = fill("bash", ["-c", `trap '' XFSZ; ulimit -f 8; exec "$@"`, "-"]);
    expect(codes).toEqual(["EFBIG", "EFBIG", "EFBIG", "EFBIG"]);
    expect(read).toEqual(written);
    expect(read.map(([first]) => first)).toEqual(["a", "b", "s"]);
  });
});

describe("a large folder", () => {
  it.runIf(isLong)("reads a journal of 500,000 lines in a fraction of its size", async () => {
    const FILES = 100;
    const LINES = 500_000;
    const file = createWriteStream(join(folder, JOURNAL_NAME));
    await pipeline(function* () {
      for (let from = 0; from < LINES; from += 1_000)
        yield Array.from({ length: 1_000 }, (_, i) => {
          const id = `photos/${(from + i) % FILES}.jpg`;
          return `${JSON.stringify({ ...reading(id), digest: "0123456789abcdef".repeat(4) })}\n`;
        }).join("");
    }, file);
    expect(file.bytesWritten).toBeGreaterThan(70e6);
    // Its text, or all of its lines, would not fit.
    const { line, kill } = await open(process.execPath, "--max-old-space-size=48");
    await kill();
    const [, files, megabytes] = /^open, (\d+) files, (\d+) MB$/.exec(line) ?? [];
    expect(Number(files)).toBe(FILES);
    console.log(`a journal of ${Math.round(file.bytesWritten / 1e6)} MB: ${megabytes} MB of memory`);
  });

  it.runIf(isLong)("of 130,000 pictures, and as many that failed, is reported", () => {
    const many = Array.from({ length: 130_000 }, (_, i) => ({
      name: `${i}.jpg`,
      outcome: {
        id: `${i}.jpg`,
        digest: "",
        problem: null,
        hasFailed: false,
        files: [],
        masks: [{ prompt: "cup", confidence: 0.9, box: [0, 0, 1, 1] as const, area: 1 }],
      },
    }));
    const failed = many.map(({ name, outcome }) => ({
      name,
      outcome: { ...outcome, masks: [], hasFailed: true, problem: "not_an_image: It is a text." },
    }));
    const printed: string[] = [];
    const print = (line: string): void => void printed.push(line);
    printReport({ ...NO_TERMINAL, print, report: print }, [...many, ...failed], "out", 1);
    expect(printed).toContain("… and 129,980 more");
    expect(printed.at(-1)).toBe("130,000 pictures with 130,000 masks, 130,000 failed: out/");
    const rows = many.map(({ name }) => [name, "x"]);
    expect(formatTable(["picture", ""], rows)).toHaveLength(130_001);
  });
});

describe("a document that was deleted", () => {
  it("is left out of the merged one and named, and later pictures are still merged", async () => {
    const service = fakeService();
    const env = { SEGMENTATION_BASE_URL: await serve(service.app), SEGMENTATION_API_KEY: "sk_live_fake" };
    const photos = join(folder, "photos");
    const args = ["segment", photos, "-p", "cup", "--out", join(folder, "out")];
    await mkdir(photos);
    for (const i of [1, 2, 3]) await writeFile(join(photos, `${i}.png`), picture(i));
    expect((await runCli(args, { env })).code).toBe(0);
    await rm(join(folder, "out/annotations/2.png.json"));
    await writeFile(join(folder, "out/annotations/3.png.json"), "{");
    for (const i of [4, 5]) {
      await writeFile(join(photos, `${i}.png`), picture(i));
      const { code, err } = await runCli(args, { env });
      expect(code).toBe(0);
      expect(err).toContain("annotations.json lacks 2 files");
      expect(err).toContain("annotations/2.png.json, annotations/3.png.json");
    }
    const merged: CocoDocument = JSON.parse(await readFile(join(folder, "out/annotations.json"), "utf8"));
    expect(merged.images.map(({ file_name }) => file_name)).toEqual(["1.png", "4.png", "5.png"]);
    expect(await readdir(join(folder, "out"))).not.toContain("annotations.json.part");
  });
});
