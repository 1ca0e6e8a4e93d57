import { describe, expect, it } from "vitest";
import { parseBenchArguments } from "../../../../scripts/bench/arguments.ts";
import { Failure } from "../../../../scripts/shared/command-line.ts";

/** Returns the message of a refused command line. */
function refusalOf(...args: string[]): string {
  try {
    parseBenchArguments(args);
  } catch (error) {
    if (error instanceof Failure && error.exitCode === 2) return error.message;
  }
  throw new Error("It was not refused as a wrong command line.");
}

const request = (subject: string, overrides: object) => ({
  subject,
  pictures: 12,
  frames: 12,
  rounds: 1,
  parts: [],
  megapixels: 2,
  folders: [],
  quick: false,
  ...overrides,
});

const video = (overrides: object) =>
  request("video", { rounds: 5, parts: ["speed", "memory"], ...overrides });

const service = (overrides: object) =>
  request("service", { rounds: 3, parts: ["host", "embedded"], ...overrides });

const quickly = { quick: true, frames: 3 };

describe("the benchmark's command line", () => {
  it("measures pictures by default", () => {
    expect(parseBenchArguments([])).toEqual(request("pictures", {}));
    expect(parseBenchArguments(["--pictures", "1"])).toEqual(request("pictures", { pictures: 1 }));
    expect(parseBenchArguments(["pictures", "--pictures", "1000"])).toEqual(
      request("pictures", { pictures: 1000 }),
    );
  });

  it("measures a video's speed and memory, or one of them", () => {
    expect(parseBenchArguments(["video"])).toEqual(video({}));
    expect(parseBenchArguments(["video", "--part", "speed"])).toEqual(video({ parts: ["speed"] }));
    expect(parseBenchArguments(["video", "--part", "memory"])).toEqual(video({ parts: ["memory"] }));
    expect(parseBenchArguments(["video", "--part", "following"])).toEqual(video({ parts: ["following"] }));
  });

  it("measures the service, as often as asked", () => {
    expect(parseBenchArguments(["service"])).toEqual(service({}));
    expect(parseBenchArguments(["service", "--quick"])).toEqual(service({ ...quickly, rounds: 1 }));
    expect(parseBenchArguments(["service", "--part", "host", "--megapixels", "12"])).toEqual(
      service({ parts: ["host"], megapixels: 12 }),
    );
  });

  it("measures model folders, the embedded ones by default", () => {
    expect(parseBenchArguments(["model"])).toEqual(request("model", { rounds: 6 }));
    expect(parseBenchArguments(["model", "--folders", "a,b/c", "--rounds", "2"])).toEqual(
      request("model", { rounds: 2, folders: ["a", "b/c"] }),
    );
    expect(refusalOf("click", "--folders", "a")).toMatch(/takes only --rounds and --quick/);
  });

  it("is quick on request, except for explicit options", () => {
    expect(parseBenchArguments(["video", "--quick"])).toEqual(video({ ...quickly, rounds: 1 }));
    expect(parseBenchArguments(["video", "--quick", "--rounds", "2"])).toEqual(
      video({ ...quickly, rounds: 2 }),
    );
  });

  it("prints help on request", () => {
    expect(parseBenchArguments(["video", "--help"])).toBeNull();
    expect(parseBenchArguments(["-h"])).toBeNull();
  });

  it.each([
    [["--pictures", "0"], "--pictures must be a whole number from 1 to 1000"],
    [["--pictures", "1.5"], "--pictures must be a whole number"],
    [["video", "--frames", "301"], "--frames must be a whole number from 1 to 300"],
    [["video", "--rounds", "many"], "--rounds must be a whole number from 1 to 100"],
    [["video", "--part", "colour"], "--part must be speed, memory or following"],
    [["video", "--pictures", "3"], "video takes only --frames, --rounds, --part and --quick"],
    [["pictures", "--rounds", "3"], "only --pictures"],
    [["--quick"], "only --pictures"],
    [["click", "--frames", "2"], "takes only --rounds and --quick"],
    [["service", "--part", "speed"], "--part must be host or embedded"],
    [["service", "--frames", "3"], "takes only --rounds, --part, --megapixels and --quick"],
    [["sound"], 'Unknown benchmark "sound"'],
    [["video", "pictures"], "only one benchmark"],
    [["--frobnicate"], "npm run bench -- --help"],
  ])("refuses %j", (args, reason) => {
    expect(refusalOf(...args)).toContain(reason);
  });
});
