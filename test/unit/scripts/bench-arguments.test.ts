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

const video = (overrides: object) => ({
  subject: "video",
  video: { speed: true, memory: true, frames: 12, rounds: 5, quick: false, ...overrides },
});

const service = (overrides: object) => ({
  subject: "service",
  service: { parts: ["throughput", "masks", "soak"], rounds: 3, soakMinutes: 5, quick: false, ...overrides },
});

describe("the benchmark's command line", () => {
  it("measures pictures unless told otherwise", () => {
    expect(parseBenchArguments([])).toEqual({ subject: "pictures", pictures: 12 });
    expect(parseBenchArguments(["--pictures", "1"])).toEqual({ subject: "pictures", pictures: 1 });
    expect(parseBenchArguments(["pictures", "--pictures", "1000"])).toEqual({
      subject: "pictures",
      pictures: 1000,
    });
  });

  it("measures createJob, in forty rounds unless told otherwise", () => {
    expect(parseBenchArguments(["create-job"])).toEqual({ subject: "create-job", rounds: 40 });
    expect(parseBenchArguments(["create-job", "--rounds", "3"])).toEqual({
      subject: "create-job",
      rounds: 3,
    });
    expect(refusalOf("create-job", "--pictures", "3")).toContain("takes only --rounds");
    expect(refusalOf("create-job", "--quick")).toContain("takes only --rounds");
    expect(refusalOf("create-job", "--rounds", "201")).toContain("1 to 200");
  });

  it("measures a clip's speed and memory, or one of them", () => {
    expect(parseBenchArguments(["video"])).toEqual(video({}));
    expect(parseBenchArguments(["video", "--part", "speed"])).toEqual(video({ memory: false }));
    expect(parseBenchArguments(["video", "--part", "memory"])).toEqual(video({ speed: false }));
  });

  it("measures the service, or one part of it", () => {
    expect(parseBenchArguments(["service"])).toEqual(service({}));
    expect(parseBenchArguments(["service", "--part", "soak", "--soak", "30"])).toEqual(
      service({ parts: ["soak"], soakMinutes: 30 }),
    );
    expect(parseBenchArguments(["service", "--quick", "--soak", "2"])).toEqual(
      service({ rounds: 1, soakMinutes: 2, quick: true }),
    );
  });

  it("measures the list of jobs, of a million of them or quickly of fewer", () => {
    const list = (jobs: number, rounds: number) => ({ subject: "list-jobs", list: { jobs, rounds } });
    expect(parseBenchArguments(["list-jobs"])).toEqual(list(1_000_000, 15));
    expect(parseBenchArguments(["list-jobs", "--rounds", "2"])).toEqual(list(1_000_000, 2));
    expect(parseBenchArguments(["list-jobs", "--quick"])).toEqual(list(100_000, 3));
  });

  it("measures a large result", () => {
    expect(parseBenchArguments(["result"])).toEqual({ subject: "result", result: { rounds: 7 } });
    expect(parseBenchArguments(["result", "--quick"])).toEqual({ subject: "result", result: { rounds: 2 } });
  });

  it("simulates the dispatch of tasks, as often as it is told", () => {
    expect(parseBenchArguments(["dispatch"])).toEqual({ subject: "dispatch", dispatch: { rounds: 5 } });
    expect(parseBenchArguments(["dispatch", "--quick"])).toEqual({
      subject: "dispatch",
      dispatch: { rounds: 1 },
    });
    expect(refusalOf("dispatch", "--frames", "3")).toMatch(/takes only --rounds and --quick/);
  });

  it("is quick where that is asked for, but for what is said besides", () => {
    expect(parseBenchArguments(["video", "--quick"])).toEqual(video({ frames: 3, rounds: 1, quick: true }));
    expect(parseBenchArguments(["video", "--quick", "--rounds", "2"])).toEqual(
      video({ frames: 3, rounds: 2, quick: true }),
    );
  });

  it("measures waiting, in three rounds unless told otherwise", () => {
    expect(parseBenchArguments(["waiting"])).toEqual({ subject: "waiting", rounds: 3 });
    expect(parseBenchArguments(["waiting", "--quick"])).toEqual({ subject: "waiting", rounds: 1 });
    expect(refusalOf("waiting", "--part", "speed")).toContain("takes only --rounds and --quick");
  });

  it("gives help for the asking", () => {
    expect(parseBenchArguments(["video", "--help"])).toBeNull();
    expect(parseBenchArguments(["-h"])).toBeNull();
  });

  it.each([
    [["--pictures", "0"], "--pictures must be a whole number from 1 to 1000"],
    [["--pictures", "1.5"], "--pictures must be a whole number"],
    [["video", "--frames", "301"], "--frames must be a whole number from 1 to 300"],
    [["video", "--rounds", "many"], "--rounds must be a whole number from 1 to 100"],
    [["video", "--part", "colour"], "--part must be speed or memory"],
    [["video", "--pictures", "3"], "use --frames"],
    [["pictures", "--rounds", "3"], "only --pictures"],
    [["--quick"], "only --pictures"],
    [["--soak", "3"], "only --pictures"],
    [["video", "--soak", "3"], "Only the benchmark of the service takes --soak"],
    [["result", "--frames", "2"], "takes only --rounds and --quick"],
    [["list-jobs", "--part", "speed"], "takes only --rounds and --quick"],
    [["service", "--soak", "0"], "--soak must be a whole number from 1 to 10000"],
    [["service", "--part", "speed"], "throughput, masks or soak"],
    [["service", "--frames", "3"], "does not take --pictures or --frames"],
    [["sound"], 'no benchmark "sound"'],
    [["video", "pictures"], "only one benchmark"],
    [["--frobnicate"], "npm run bench -- --help"],
  ])("refuses %j", (args, reason) => {
    expect(refusalOf(...args)).toContain(reason);
  });
});
