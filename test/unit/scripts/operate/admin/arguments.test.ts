import { describe, expect, it } from "vitest";
import { ACTIONS, adminHelp, parseAdminArguments } from "../../../../../scripts/operate/admin/arguments.ts";
import { Failure } from "../../../../../scripts/shared/command-line.ts";

const ACCOUNT = `acct_${"0".repeat(32)}`;
const JOB = `job_${"0".repeat(32)}`;

function read(...args: string[]): object {
  const { run: _, ...rest } = { run: null, ...parseAdminArguments(args) };
  return rest;
}

/** Returns the exit code and the message of a refused command line. */
function refusalOf(...args: string[]): { exitCode: number; message: string } {
  try {
    parseAdminArguments(args);
  } catch (error) {
    if (error instanceof Failure) return { exitCode: error.exitCode, message: error.message };
  }
  throw new Error("It was not refused.");
}

describe("the admin command line", () => {
  it("reads an account to create, locally and for people by default", () => {
    expect(read("create-account", "--email", "a@example.com", "--plan", "trial")).toEqual({
      action: "create-account",
      given: { email: "a@example.com", plan: "trial", name: null },
      remote: false,
      json: false,
    });
  });

  it("reads a key to create, labeled admin by default", () => {
    expect(read("create-key", "--account", ACCOUNT, "--remote", "--json")).toEqual({
      action: "create-key",
      given: { account: ACCOUNT, label: "admin" },
      remote: true,
      json: true,
    });
  });

  it.each([
    [
      ["set-plan", "--account", ACCOUNT, "--plan", "blocked"],
      { action: "set-plan", given: { account: ACCOUNT, plan: "blocked" } },
    ],
    [
      ["set-limit", "--account", ACCOUNT, "--units-per-day", "5000"],
      { action: "set-limit", given: { account: ACCOUNT, "units-per-day": 5_000 } },
    ],
    [
      ["set-limit", "--account", ACCOUNT, "--units-per-day", "0"],
      { action: "set-limit", given: { account: ACCOUNT, "units-per-day": 0 } },
    ],
    [
      ["set-limit", "--account", ACCOUNT, "--units-per-day", "default"],
      { action: "set-limit", given: { account: ACCOUNT, "units-per-day": null } },
    ],
    [
      ["set-credit", "--account", ACCOUNT, "--units", "5000"],
      { action: "set-credit", given: { account: ACCOUNT, units: 5_000 } },
    ],
    [
      ["delete-copy", "--account", ACCOUNT, "--from", "DB_2"],
      { action: "delete-copy", given: { account: ACCOUNT, from: "DB_2", yes: false } },
    ],
    [["suspend-account", "--account", ACCOUNT], { action: "suspend-account", given: { account: ACCOUNT } }],
    [["resume-account", "--account", ACCOUNT], { action: "resume-account", given: { account: ACCOUNT } }],
    [
      ["erase-account", "--account", ACCOUNT],
      { action: "erase-account", given: { account: ACCOUNT, yes: false } },
    ],
    [
      ["erase-account", "--account", ACCOUNT, "--yes"],
      { action: "erase-account", given: { account: ACCOUNT, yes: true } },
    ],
    [["show-account", "--account", ACCOUNT], { action: "show-account", given: { account: ACCOUNT } }],
    [["list-keys", "--account", ACCOUNT], { action: "list-keys", given: { account: ACCOUNT } }],
    [["list-accounts"], { action: "list-accounts", given: { email: null, after: null, limit: 50 } }],
    [
      ["list-accounts", "--email", "a@b.c", "--after", ACCOUNT, "--limit", "1000"],
      { action: "list-accounts", given: { email: "a@b.c", after: ACCOUNT, limit: 1_000 } },
    ],
    [["show-job", JOB], { action: "show-job", given: { job: JOB } }],
    [["wake-job", JOB], { action: "wake-job", given: { job: JOB } }],
    [["cancel-job", JOB], { action: "cancel-job", given: { job: JOB } }],
    [["stuck-jobs"], { action: "stuck-jobs", given: { hours: 24 } }],
    [["stuck-jobs", "--hours", "720"], { action: "stuck-jobs", given: { hours: 720 } }],
    [["dead-letters"], { action: "dead-letters", given: { replay: false } }],
    [["dead-letters", "--replay"], { action: "dead-letters", given: { replay: true } }],
    [["relist"], { action: "relist", given: { "dry-run": false } }],
    [["relist", "--dry-run"], { action: "relist", given: { "dry-run": true } }],
    [["ledger-check"], { action: "ledger-check", given: { grant: null, objects: false } }],
    [["ledger-check", "--grant", "50"], { action: "ledger-check", given: { grant: 50, objects: false } }],
    [["ledger-check", "--objects"], { action: "ledger-check", given: { grant: null, objects: true } }],
  ])("reads %j", (args, command) => {
    expect(read(...args)).toEqual({ ...command, remote: false, json: false });
  });

  it("reads the configuration of the deployed service", () => {
    expect(read("show-job", JOB, "--remote", "--config", "mine.toml")).toEqual({
      action: "show-job",
      given: { job: JOB },
      remote: true,
      json: false,
      config: "mine.toml",
    });
  });

  it("prints help on request, and without a command", () => {
    expect(parseAdminArguments(["--help"])).toEqual({ action: "help", about: null });
    expect(parseAdminArguments([])).toEqual({ action: "help", about: null });
    for (const action of ACTIONS)
      expect(adminHelp(null)).toMatch(new RegExp(`npm run admin -- ${action}( |$)`, "m"));
    expect(adminHelp(null)).not.toMatch(/ $/m);
  });

  it("prints help for one command after its name, with any missing argument", () => {
    expect(parseAdminArguments(["show-account", "--help"])).toEqual({
      action: "help",
      about: "show-account",
    });
    expect(adminHelp("show-account")).toContain("npm run admin -- show-account --account ID");
    expect(adminHelp("show-account")).not.toContain("set-plan");
  });

  it.each([
    ["an unknown command", ["drop-account"], 'Unknown command "drop-account"'],
    ["a job to cancel that is not named", ["cancel-job"], "The job's id is missing"],
    ["too long a time", ["stuck-jobs", "--hours", "721"], "--hours must be a whole number from 1 to 720"],
    ["no time", ["stuck-jobs", "--hours", "0"], "--hours must be"],
    ["a replay of jobs", ["stuck-jobs", "--replay"], "stuck-jobs does not take --replay"],
    [
      "--yes of a command that asks nothing",
      ["suspend-account", "--account", ACCOUNT, "--yes"],
      "suspend-account does not take --yes",
    ],
    ["an unknown command, even with --help", ["suspend", "--help"], 'Unknown command "suspend"'],
    [
      "a page without an account",
      ["list-accounts", "--limit", "0"],
      "--limit must be a number from 1 to 1000",
    ],
    ["a page that is too large", ["list-accounts", "--limit", "1001"], "--limit must be"],
    ["a page after something else", ["list-accounts", "--after", "1"], "--after must be an account's id"],
    [
      "a configuration for the local stack",
      ["list-accounts", "--config", "mine.toml"],
      "--config requires --remote",
    ],
    ["an unknown option", ["show-job", "--force"], "--force"],
    ["an option that no command has", ["--bogus"], "Unknown option '--bogus'.\nSee: npm run admin -- --help"],
    ["a plan that is missing", ["set-plan", "--account", ACCOUNT], "--plan is missing"],
    ["an account that is missing", ["suspend-account"], "--account is missing"],
    ["a limit that is missing", ["set-limit", "--account", ACCOUNT], "--units-per-day is missing"],
    [
      "a limit that is no number",
      ["set-limit", "--account", ACCOUNT, "--units-per-day", "many"],
      "--units-per-day must be a whole number",
    ],
    ["a grant that is not a number", ["ledger-check", "--grant", "all"], "--grant must be a whole number"],
    ["an option of another command", ["revoke-key", "--key", "key_1", "--email", "a@b.c"], "--email"],
    ["a missing e-mail address", ["create-account", "--plan", "paid"], "--email is missing"],
    ["a wrong e-mail address", ["create-account", "--email", "a b@c", "--plan", "paid"], "--email must be"],
    [
      "an unknown plan",
      ["create-account", "--email", "a@b.c", "--plan", "gold"],
      "--plan must be trial, paid or blocked",
    ],
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
