import type { z } from "zod";
import type { Database } from "../../shared/database/database.ts";
import type { OperatorApi } from "../../shared/database/operator-api.ts";
import type { Outcome } from "../../shared/database/print.ts";
import type { Databases } from "./databases.ts";

/** The service that a command operates on. */
export interface Service {
  /** The configuration of the deployed service; null for the local stack. */
  readonly configFile: string | null;
  /** Opens the databases; local ones must exist, unless `create` is set. */
  readonly databases: (options?: { readonly create: boolean }) => Promise<Databases>;
  readonly books: (accountId: string) => Promise<Database>;
  readonly api: () => Promise<OperatorApi>;
  readonly signal: AbortSignal;
}

/** A command: its help, its options in addition to the common ones, and its action. */
export interface Command {
  /** The operands and options that the help shows after its name. */
  readonly takes: string;
  readonly does: string;
  readonly options: z.ZodObject;
  /** Checks the given options. Returns the accepted ones, and the command to run with them. @throws ZodError */
  readonly read: (options: object) => {
    readonly given: object;
    readonly run: (service: Service) => Promise<Outcome>;
  };
}

/** Makes a command, whose options are checked before it runs. */
export function command<T extends z.ZodObject>(
  spec: Omit<Command, "read"> & {
    readonly options: T;
    readonly run: (given: z.infer<T>, service: Service) => Promise<Outcome>;
  },
): Command {
  const { run, ...rest } = spec;
  return {
    ...rest,
    read: (options) => {
      const given = spec.options.parse(options);
      return { given, run: (service) => run(given, service) };
    },
  };
}
