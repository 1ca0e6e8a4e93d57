import { describe, expect, it } from "vitest";
import { parseModelsArguments } from "../../../scripts/models/arguments.ts";
import { Failure } from "../../../scripts/shared/command-line.ts";

/** The exit code and the sentence of a command line that is refused. */
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
    [["check", "a/folder"], { action: "check", folder: "a/folder", provider: "cpu", json: false }],
    [
      ["check", "--provider", "cuda", "a", "--json"],
      { action: "check", folder: "a", provider: "cuda", json: true },
    ],
    [["describe", "a"], { action: "describe", folder: "a", force: false }],
    [["describe", "a", "--force"], { action: "describe", folder: "a", force: true }],
    [["fetch", "builtin"], { action: "fetch" }],
    [[], { action: "help" }],
    [["check", "--help"], { action: "help" }],
    [["-h"], { action: "help" }],
  ])("reads %j", (args, command) => {
    expect(parseModelsArguments(args)).toEqual(command);
  });

  it.each([
    [["forget"], 'There is no command "forget".'],
    [["check"], "The folder is missing: npm run models -- check FOLDER"],
    [["describe", ""], "The folder is missing: npm run models -- describe FOLDER"],
    [["check", "a", "b"], "Too many arguments for check."],
    [["list", "a"], "Too many arguments for list."],
    [["check", "a", "--provider", "coreml"], "--provider must be cpu or cuda."],
    [["check", "a", "--force"], "check does not take --force."],
    [["describe", "a", "--json"], "describe does not take --json."],
    [["fetch", "sam3"], "Only the embedded model can be fetched"],
    [["fetch"], "Only the embedded model can be fetched"],
    [["list", "--loud"], "Unknown option '--loud'."],
  ])("refuses %j by a sentence, with exit code 2", (args, sentence) => {
    const { exitCode, message } = refusalOf(...args);
    expect(exitCode).toBe(2);
    expect(message).toContain(sentence);
  });
});
