import { describe, expect, it } from "vitest";
import { parseBenchArguments } from "../../../scripts/bench/arguments.ts";
import { Failure } from "../../../scripts/shared/command-line.ts";

/** The sentence of a command line that is refused. */
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
  soakMinutes: 5,
  quick: false,
  ...overrides,
});

const video = (overrides: object) =>
  request("video", { parts: ["speed", "memory"], rounds: 5, ...overrides });

const service = (overrides: object) =>
  request("service", { parts: ["throughput", "soak"], rounds: 3, ...overrides });

const quickly = { quick: true, frames: 3, soakMinutes: 1 };

describe("the benchmark's command line", () => {
  it("measures pictures by default", () => {
    expect(parseBenchArguments([])).toEqual(request("pictures", {}));
    expect(parseBenchArguments(["--pictures", "1"])).toEqual(request("pictures", { pictures: 1 }));
    expect(parseBenchArguments(["pictures", "--pictures", "1000"])).toEqual(
      request("pictures", { pictures: 1000 }),
    );
  });

  it("measures createJob, in forty rounds by default", () => {
    expect(parseBenchArguments(["create-job"])).toEqual(request("create-job", { rounds: 40 }));
    expect(parseBenchArguments(["create-job", "--rounds", "3"])).toEqual(
      request("create-job", { rounds: 3 }),
    );
    expect(refusalOf("create-job", "--pictures", "3")).toContain("takes only --rounds");
    expect(refusalOf("create-job", "--quick")).toContain("takes only --rounds");
    expect(refusalOf("create-job", "--rounds", "201")).toContain("1 to 200");
  });

  it("measures a clip's speed and memory, or one of them", () => {
    expect(parseBenchArguments(["video"])).toEqual(video({}));
    expect(parseBenchArguments(["video", "--part", "speed"])).toEqual(video({ parts: ["speed"] }));
    expect(parseBenchArguments(["video", "--part", "memory"])).toEqual(video({ parts: ["memory"] }));
    expect(parseBenchArguments(["video", "--part", "following"])).toEqual(video({ parts: ["following"] }));
  });

  it("measures the service, or one part of it", () => {
    expect(parseBenchArguments(["service"])).toEqual(service({}));
    expect(parseBenchArguments(["service", "--part", "soak", "--soak", "30"])).toEqual(
      service({ parts: ["soak"], soakMinutes: 30 }),
    );
    expect(parseBenchArguments(["service", "--quick", "--soak", "2"])).toEqual(
      service({ ...quickly, rounds: 1, soakMinutes: 2 }),
    );
  });

  it("simulates the dispatch of tasks, as often as asked", () => {
    expect(parseBenchArguments(["dispatch"])).toEqual(request("dispatch", { rounds: 5 }));
    expect(parseBenchArguments(["dispatch", "--quick"])).toEqual(request("dispatch", quickly));
    expect(refusalOf("dispatch", "--frames", "3")).toMatch(/takes only --rounds and --quick/);
  });

  it("is quick if asked, except for what is given explicitly", () => {
    expect(parseBenchArguments(["video", "--quick"])).toEqual(video({ ...quickly, rounds: 1 }));
    expect(parseBenchArguments(["video", "--quick", "--rounds", "2"])).toEqual(
      video({ ...quickly, rounds: 2 }),
    );
  });

  it("measures waiting, in three rounds by default", () => {
    expect(parseBenchArguments(["waiting"])).toEqual(request("waiting", { rounds: 3 }));
    expect(parseBenchArguments(["waiting", "--quick"])).toEqual(request("waiting", quickly));
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
    [["--soak", "3"], "only --pictures"],
    [["video", "--soak", "3"], "video takes only --frames, --rounds, --part and --quick"],
    [["click", "--frames", "2"], "takes only --rounds and --quick"],
    [["waiting", "--part", "speed"], "takes only --rounds and --quick"],
    [["service", "--soak", "0"], "--soak must be a whole number from 1 to 10000"],
    [["service", "--part", "speed"], "throughput or soak"],
    [["service", "--frames", "3"], "service takes only --rounds, --part, --soak and --quick"],
    [["service", "--part", "masks"], "--part must be throughput or soak"],
    [["sound"], 'Unknown benchmark "sound"'],
    [["video", "pictures"], "only one benchmark"],
    [["--frobnicate"], "npm run bench -- --help"],
  ])("refuses %j", (args, reason) => {
    expect(refusalOf(...args)).toContain(reason);
  });
});
