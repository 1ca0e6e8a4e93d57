import type { z } from "zod";
import type { OPERATIONS, OperationId } from "./operations.ts";
import type { Platform } from "./platform.ts";
import type { Account } from "./accounts/store/accounts.ts";
import type { Batching } from "./shared/storage/d1-store.ts";
import type { Once } from "./shared/api/idempotency.ts";

type Row<Id extends OperationId> = (typeof OPERATIONS)[Id];

/** The parameters of a path: `jobId` of `/v1/jobs/{jobId}`. */
type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** A request of an operation, checked against the operation's row in the contract, with its path parameters by name. */
export type OperationRequest<Id extends OperationId> = {
  readonly platform: Platform;
  readonly account: Account;
  /** Sends the first batch of an operation and reads the account with it (http/operations.ts). */
  readonly preflight: Batching;
  readonly query: Row<Id> extends { query: z.ZodType<infer Query> } ? Query : undefined;
  /** Undefined for an operation that takes a form, too: its handler reads both. */
  readonly body: Row<Id> extends { form: z.ZodType }
    ? undefined
    : Row<Id> extends { body: z.ZodType<infer Body> }
      ? Body
      : undefined;
  readonly idempotencyKey: string | undefined;
  /** Seconds that the client is willing to wait for the end; null if it wants the answer at once. */
  readonly waitSeconds: number | null;
  /** The digest of the share's token, if the request came by a link; absent for the account's requests. */
  readonly linkDigest?: string | undefined;
} & { readonly [Name in PathParameter<Row<Id>["path"]>]: string };

type AnswerBody<Id extends OperationId> =
  | (Row<Id> extends { answer: z.ZodType<infer Answer> } ? Answer : void)
  | (Row<Id> extends { unfinished: z.ZodType<infer Unfinished> } ? Unfinished : never);

/** The result of an operation: its answer's body, and whether that is a replay if the operation takes an Idempotency-Key. */
export type OperationAnswer<Id extends OperationId> =
  Row<Id> extends { idempotencyKey: string } ? Once<AnswerBody<Id>> : AnswerBody<Id>;
