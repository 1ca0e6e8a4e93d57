import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { numbered } from "../../../src/shared/storage/named-values.ts";

it("gives each name the number of its value, wherever and however often it occurs", () => {
  const [sql, ...values] = numbered("SELECT :b, :a, :bb, ?1, :b IS :none", {
    a: 1,
    b: "x",
    bb: 2,
    none: null,
  });
  expect(sql).toBe("SELECT ?2, ?1, ?3, ?1, ?2 IS ?4");
  expect(values).toEqual([1, "x", 2, null]);
});

it("binds the values and never writes them into the statement", () => {
  const [sql, ...values] = numbered("SELECT :text AS text, :n + 1 AS n", { n: 1, text: "'; DROP :n" });
  const row = new DatabaseSync(":memory:").prepare(sql).get(...values);
  expect(row).toEqual({ text: "'; DROP :n", n: 2 });
});

it("refuses a name that has no value", () => {
  expect(() => numbered("SELECT :a, :toString", { a: 1 })).toThrow("names :toString, which has no value");
});
