import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseModelsArguments } from "../src/command/models-arguments.ts";
import { Failure } from "../../scripts/shared/command-line.ts";

/** The exit code and the message of a refused command line. */
function refusalOf(...args: string[]): { exitCode: number; message: string } {
  try {
    parseModelsArguments(args);
  } catch (error) {
    if (error instanceof Failure) return { exitCode: error.exitCode, message: error.message };
  }
  throw new Error("It was not refused.");
}

describe("the models command line", () => {
  it.each([
    [["list"], { action: "list", json: false }],
    [["list", "--json"], { action: "list", json: true }],
    [
      ["check", "a/folder"],
      { action: "check", folder: "a/folder", provider: "cpu", cpuNodes: false, json: false },
    ],
    [
      ["check", "--provider", "cuda", "a", "--json"],
      { action: "check", folder: "a", provider: "cuda", cpuNodes: false, json: true },
    ],
    [["describe", "a"], { action: "describe", folder: "a", force: false }],
    [["describe", "a", "--force"], { action: "describe", folder: "a", force: true }],
    [
      ["describe", "a", "--server", "http://triton:8000/v2/models/b"],
      { action: "describe", folder: "a", force: false, server: "http://triton:8000/v2/models/b" },
    ],
    [["fetch", "builtin"], { action: "fetch", name: "builtin" }],
    [["fetch", "builtin-fast"], { action: "fetch", name: "builtin-fast" }],
    [
      ["install", "grounding-dino-tiny"],
      {
        action: "install",
        model: { name: "grounding-dino-tiny" },
        acceptLicence: false,
        force: false,
        provider: "cpu",
      },
    ],
    [
      ["install", "--from", "a/manifest.json", "--accept-licence", "--force", "--provider", "cuda"],
      {
        action: "install",
        model: { from: "a/manifest.json" },
        acceptLicence: true,
        force: true,
        provider: "cuda",
      },
    ],
    [
      ["evaluate", "a"],
      {
        action: "evaluate",
        subject: { kind: "folder", folder: "a", provider: "cpu" },
        json: false,
        pictures: resolve("samples/labelled/pictures"),
        labels: resolve("samples/labelled/instances.json"),
        threshold: 0.05,
        sheet: resolve(".local/misses.png"),
      },
    ],
    [
      "evaluate a --json --pictures b --labels c.json --threshold 0.4 --provider cuda --detections d.json --sheet e.png".split(
        " ",
      ),
      {
        action: "evaluate",
        subject: { kind: "folder", folder: "a", provider: "cuda" },
        json: true,
        pictures: "b",
        labels: "c.json",
        threshold: 0.4,
        detections: "d.json",
        sheet: "e.png",
      },
    ],
    [
      ["evaluate", "--through-api", "a"],
      expect.objectContaining({ subject: { kind: "local service", folder: "a" } }),
    ],
    [
      ["evaluate", "--through-api", "--url", "https://a.example", "--key", "sk_live_x"],
      expect.objectContaining({ subject: { kind: "service", url: "https://a.example", key: "sk_live_x" } }),
    ],
    [
      ["calibrate", "a", "--pictures", "b", "--labels", "c.json"],
      { action: "calibrate", folder: "a", provider: "cpu", pictures: "b", labels: "c.json" },
    ],
    [[], { action: "help" }],
    [
      ["check", "a", "--provider", "cuda", "--cpu-nodes"],
      { action: "check", folder: "a", provider: "cuda", cpuNodes: true, json: false },
    ],
    [["check", "--help"], { action: "help" }],
    [["-h"], { action: "help" }],
  ])("reads %j", (args, command) => {
    expect(parseModelsArguments(args)).toEqual(command);
  });

  it.each([
    [["forget"], 'Unknown command "forget".'],
    [["check"], "The folder is missing: npm run models -- check FOLDER"],
    [["describe", ""], "The folder is missing: npm run models -- describe FOLDER"],
    [["check", "a", "b"], "Too many arguments for check."],
    [["list", "a"], "Too many arguments for list."],
    [["check", "a", "--provider", "coreml"], "--provider must be one of: cpu, cuda, tensorrt."],
    [["check", "a", "--force"], "check does not take --force."],
    [["check", "a", "--server", "b"], "check does not take --server."],
    [["describe", "a", "--json"], "describe does not take --json."],
    [["fetch", "sam3"], "Only the embedded models can be fetched"],
    [["fetch"], "Only the embedded models can be fetched"],
    [["install"], "install takes either the name of a model or --from manifest.json."],
    [
      ["install", "grounding-dino-tiny", "--from", "a"],
      "install takes either the name of a model or --from manifest.json.",
    ],
    [["install", "sam4"], 'The catalog has no "sam4"'],
    [["install", "grounding-dino-tiny", "--json"], "install does not take --json."],
    [["evaluate"], "The folder is missing: npm run models -- evaluate FOLDER"],
    [["evaluate", "a", "--pictures", "b"], "--pictures and --labels belong together."],
    [["evaluate", "a", "--url", "https://a.example", "--key", "k"], "--url and --key are for --through-api."],
    [["evaluate", "--through-api", "--key", "k"], "--url and --key belong together."],
    [["evaluate", "--through-api", "--url", "here", "--key", "k"], "--url must be the address of a service"],
    [
      ["evaluate", "a", "--through-api", "--url", "https://a.example", "--key", "k"],
      "A service at --url has its own model.",
    ],
    [["evaluate", "a", "--through-api", "--provider", "cpu"], "--provider is not for --through-api"],
    [["evaluate", "a", "--threshold", "50"], "--threshold must be a number from 0 to 1."],
    [["evaluate", "a", "--threshold", ""], "--threshold must be a number from 0 to 1."],
    [["list", "--cpu-nodes"], "list does not take --cpu-nodes."],
    [["check", "a", "--threshold", "0.5"], "check does not take --threshold."],
    [["list", "--loud"], "Unknown option '--loud'."],
  ])("refuses %j by a sentence, with exit code 2", (args, sentence) => {
    const { exitCode, message } = refusalOf(...args);
    expect(exitCode).toBe(2);
    expect(message).toContain(sentence);
  });
});
