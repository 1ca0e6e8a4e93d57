import { describe, expect, it } from "vitest";
import { parseAdminArguments } from "../../../scripts/admin/arguments.ts";
import { Failure } from "../../../scripts/shared/command-line.ts";

const ACCOUNT = `acct_${"0".repeat(32)}`;

/** The exit code and the sentence of a command line that is refused. */
function refusalOf(...args: string[]): { exitCode: number; message: string } {
  try {
    parseAdminArguments(args);
  } catch (error) {
    if (error instanceof Failure) return { exitCode: error.exitCode, message: error.message };
  }
  throw new Error("It was not refused.");
}

describe("the admin command line", () => {
  it("reads an account to create, locally and for people unless told otherwise", () => {
    expect(parseAdminArguments(["create-account", "--email", "a@example.com", "--plan", "trial"])).toEqual({
      action: "create-account",
      email: "a@example.com",
      plan: "trial",
      name: null,
      remote: false,
      json: false,
    });
  });

  it("reads a key to create, labelled admin unless told otherwise", () => {
    expect(parseAdminArguments(["create-key", "--account", ACCOUNT, "--remote", "--json"])).toEqual({
      action: "create-key",
      accountId: ACCOUNT,
      label: "admin",
      remote: true,
      json: true,
    });
  });

  it.each([
    [
      ["set-plan", "--account", ACCOUNT, "--plan", "blocked"],
      { action: "set-plan", accountId: ACCOUNT, plan: "blocked" },
    ],
    [["suspend", "--account", ACCOUNT], { action: "suspend", accountId: ACCOUNT }],
    [["resume", "--account", ACCOUNT], { action: "resume", accountId: ACCOUNT }],
    [["list-keys", "--account", ACCOUNT], { action: "list-keys", accountId: ACCOUNT }],
    [["list-accounts"], { action: "list-accounts" }],
    [["ledger-check"], { action: "ledger-check", grant: null }],
    [["ledger-check", "--grant", "50"], { action: "ledger-check", grant: 50 }],
  ])("reads %j", (args, command) => {
    expect(parseAdminArguments(args)).toEqual({ ...command, remote: false, json: false });
  });

  it("gives help when asked, and without a command", () => {
    expect(parseAdminArguments(["--help"])).toEqual({ action: "help" });
    expect(parseAdminArguments([])).toEqual({ action: "help" });
  });

  it.each([
    ["an unknown command", ["drop-account"], 'no command "drop-account"'],
    ["an unknown option", ["show-job", "--force"], "--force"],
    ["an option that no command has", ["--bogus"], "Unknown option '--bogus'.\nSee: npm run admin -- --help"],
    ["a plan that is missing", ["set-plan", "--account", ACCOUNT], "--plan must be trial, paid or blocked"],
    ["an account that is missing", ["suspend"], "--account is missing"],
    ["a grant that is not a number", ["ledger-check", "--grant", "all"], "--grant must be a whole number"],
    ["an option of another command", ["revoke-key", "--key", "key_1", "--email", "a@b.c"], "--email"],
    ["a missing e-mail address", ["create-account", "--plan", "paid"], "--email is missing"],
    ["a wrong e-mail address", ["create-account", "--email", "a b@c", "--plan", "paid"], "--email must be"],
    ["an unknown plan", ["create-account", "--email", "a@b.c", "--plan", "gold"], "--plan must be"],
    [
      "an empty name",
      ["create-account", "--email", "a@b.c", "--plan", "paid", "--name", ""],
      "--name must be",
    ],
    ["a label with a control character", ["create-key", "--account", ACCOUNT, "--label", "a\nb"], "--label"],
    ["an id of another kind", ["create-key", "--account", `key_${"0".repeat(32)}`], "--account must be"],
    ["SQL for an id", ["show-job", "' OR 1=1 --"], "job_…"],
    ["an argument too many", ["revoke-key", "--key", `key_${"0".repeat(32)}`, "more"], "Too many"],
  ])("refuses %s with exit code 2 and its name", (_, args, named) => {
    const { exitCode, message } = refusalOf(...args);
    expect(exitCode).toBe(2);
    expect(message).toContain(named);
  });
});
