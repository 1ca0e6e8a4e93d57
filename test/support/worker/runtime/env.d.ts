import type { D1Migration } from "@cloudflare/vitest-pool-workers";
import type worker from "../../../../src/index.ts";

declare global {
  /** The binding of the database that the current test's accounts are in. */
  var booksOfTest: string;
  /** How many databases the file's tests use: the others stay empty. */
  var databasesInUse: number;
  namespace Cloudflare {
    interface Env {
      MIGRATIONS: D1Migration[];
      /** The run's seed for everything random. */
      SEED: string;
      /** How much the random tests draw: a little in every run, a lot in the long one. */
      FUZZ: "short" | "long";
    }
    interface GlobalProps {
      mainModule: { default: typeof worker };
    }
  }
}
