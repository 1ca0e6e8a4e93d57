import type { D1Migration } from "@cloudflare/vitest-pool-workers";
import type { TestedContainer } from "../machines/tested-container.ts";
import type worker from "../../../../src/index.ts";

declare global {
  /** The binding of the database with the current test's accounts. */
  var booksOfTest: string;
  /** Number of databases that the file's tests use: the others stay empty. */
  var databasesInUse: number;
  namespace Cloudflare {
    interface Env {
      MIGRATIONS: D1Migration[];
      /** The run's seed for everything random. */
      SEED: string;
      /** The number of draws in random tests: few in every run, many in the long one. */
      FUZZ: "short" | "long";
      TESTED_CONTAINER: DurableObjectNamespace<TestedContainer>;
    }
    interface GlobalProps {
      mainModule: { default: typeof worker };
    }
  }
}
