import { describe, expect, it } from "vitest";
import { databaseFault, databaseNames, recorded } from "../../../src/shared/storage/databases.ts";

describe("the fault of a database", () => {
  it.each([
    ["D1_ERROR: Exceeded maximum DB size", "full"],
    ["D1_ERROR: database or disk is full: SQLITE_FULL", "full"],
    ["D1_ERROR: D1 DB is overloaded. Too many requests queued.", "overloaded"],
    ["D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.", "overloaded"],
    ["D1_ERROR: Network connection lost.", "away"],
    ["D1_ERROR: Internal error in D1 DB storage caused object to be reset.", "away"],
    ["D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.", "away"],
    ["Error: job_1 may still be listed: Error: D1_ERROR: Network connection lost.", "away"],
    ["D1_ERROR: the account is being moved: SQLITE_CONSTRAINT", "moved"],
  ])("is told by its error: %s is %s", (message, fault) => {
    expect(databaseFault(message)).toBe(fault);
  });

  it.each([
    "D1_ERROR: UNIQUE constraint failed: accounts.id: SQLITE_CONSTRAINT",
    "D1_ERROR: no such table: jobs: SQLITE_ERROR",
    "D1_ERROR: the account is erased: SQLITE_CONSTRAINT",
    "TypeError: x is undefined",
  ])("is nothing if the mistake is our own: %s", (message) => {
    expect(databaseFault(message)).toBeNull();
  });
});

describe("a database's name", () => {
  it("is DB, and what is bound as DB_2, DB_3 and so on, in the order of their numbers", () => {
    const bindings = ["DB_10", "DB_2", "MEDIA", "DB", "DB_X", "OTHER_DB", "DB_02"];
    expect(databaseNames(bindings)).toEqual(["DB", "DB_2", "DB_10"]);
  });

  it("is recorded for all but the first, as in the oldest records", () => {
    expect(recorded("DB_2")).toEqual({ database: "DB_2" });
    for (const first of ["DB", undefined]) expect(recorded(first)).toStrictEqual({});
  });
});
