import type { Context, Hono } from "hono";
import { IdempotencyKey, type Operation } from "../shared/api/operation.ts";
import { OPERATION_IDS, OPERATIONS, type OperationId } from "../operations.ts";
import { ServiceError } from "../shared/errors.ts";
import { boundAccount, enter } from "../accounts/operations/authenticate.ts";
import { needing } from "../shared/storage/database-failure.ts";
import { isOnce } from "../shared/api/idempotency.ts";
import type { OperationAnswer, OperationRequest } from "../operation-request.ts";
import * as accounts from "../accounts/operations/account.ts";
import * as apiKeys from "../accounts/operations/api-keys.ts";
import * as billing from "../billing/operations/billing.ts";
import { createJob } from "../jobs/operations/create-job.ts";
import * as downloads from "../archives/operations/downloads.ts";
import {
  replaceJobAnnotations,
  retrieveJobAnnotations,
  versionConflict,
} from "../jobs/operations/annotations.ts";
import { etagOf } from "../jobs/rules/annotations.ts";
import { retrieveJobInputs } from "../jobs/operations/inputs.ts";
import * as jobs from "../jobs/operations/jobs.ts";
import type { Requester } from "../segment/operations/requester.ts";
import { segmentationOf } from "../segment/operations/segment.ts";
import * as shares from "../shares/operations/shares.ts";
import * as models from "../models/operations/models.ts";
import * as uploads from "../uploads/operations/uploads.ts";
import * as webhookDeliveries from "../webhooks/operations/webhook-deliveries.ts";
import * as webhookEndpoints from "../webhooks/operations/webhook-endpoints.ts";
import { authenticate } from "./middleware/authenticate.ts";
import type { Account } from "../accounts/store/accounts.ts";
import type { Batching } from "../shared/storage/d1-store.ts";
import { platform, type AppEnv } from "./context.ts";
import { respondWithJson } from "./json-stream.ts";
import { waitSeconds } from "../jobs/rules/waiters.ts";
import { readBody, readQuery } from "./read-request.ts";
import { beginFromRequest } from "./segment-request.ts";
import { refuseOtherMethods } from "./wrong-method.ts";

/** Runs an operation, and returns its answer; a handler whose answer is not JSON makes the response itself. */
type Handlers = {
  readonly [Id in OperationId]: (
    request: OperationRequest<Id>,
    c: Context<AppEnv>,
  ) => Promise<OperationAnswer<Id> | Response>;
};

/** Time after which to ask for a job that has outlasted its client's wait. */
const UNFINISHED_SECONDS = 2;

/** The functions by the names of their operations. The handlers below them add the parts that only HTTP needs. */
const HANDLERS: Handlers = {
  ...accounts,
  ...apiKeys,
  ...billing,
  ...downloads,
  ...jobs,
  ...models,
  ...shares,
  ...uploads,
  ...webhookDeliveries,
  ...webhookEndpoints,
  importUpload: (request, c) => {
    const imported = uploads.importUpload(request, c.req.raw.signal);
    // If the client disconnects, the import still runs to its end.
    c.executionCtx.waitUntil(imported.catch(() => {}));
    return imported;
  },
  segment: async ({ platform: books, account, preflight, idempotencyKey, waitSeconds: seconds }, c) => {
    const keep = (work: Promise<unknown>) => c.executionCtx.waitUntil(work.catch(() => {}));
    const client: Requester = {
      platform: books,
      account,
      preflight,
      query: undefined,
      body: undefined,
      idempotencyKey,
      waitSeconds: null,
      gone: c.req.raw.signal,
      keep,
    };
    // It counts as three requests.
    await boundAccount(books, account.accountId, 2);
    const beginning = beginFromRequest(c, client);
    // If the client disconnects, what has been stored is still forgotten, or the job created.
    keep(beginning);
    const { answer, replayed, sought } = await beginning;
    const { jobId } = answer;
    c.set("jobId", jobId);
    const found = await segmentationOf(client, jobId, seconds, sought);
    if (found !== null) return { answer: found, replayed };
    c.set("status", 202);
    c.header("retry-after", String(UNFINISHED_SECONDS));
    return { answer: { jobId }, replayed };
  },
  createJob: async (request, c) => {
    const creating = createJob(request);
    // If the client disconnects, the request still runs to its end: its calls to the bucket must be counted.
    c.executionCtx.waitUntil(creating.catch(() => {}));
    const created = await creating;
    c.set("jobId", created.answer.jobId);
    return created;
  },
  retrieveJob: async (request, c) => {
    const { status, progress } = await jobs.retrieveJob(request);
    // A header, because the specification's objects take no further fields.
    c.header("x-job-progress", progress.toFixed(2));
    return status;
  },
  streamJobEvents: async (request, c) => {
    const headers = { "content-type": "text/event-stream" };
    if (c.req.method === "HEAD") {
      // A HEAD request reads no stream, and a stream takes a place.
      await jobs.retrieveJob(request);
      return c.body(null, 200, headers);
    }
    const events = await jobs.streamJobEvents(request, c.req.header("last-event-id") ?? null);
    return events === null ? c.body(null, 204) : c.body(events, 200, headers);
  },
  retrieveJobInputs,
  retrieveJobAnnotations: async (request, c) => {
    const { version, json } = await retrieveJobAnnotations(request);
    return c.body(json, 200, { "content-type": "application/json", etag: etagOf(version) });
  },
  replaceJobAnnotations: async (request, c) => {
    const saved = await replaceJobAnnotations(request, c.req.header("if-match"));
    const isConflict = "conflict" in saved;
    c.header("etag", etagOf(isConflict ? saved.conflict : saved.version));
    if (isConflict) throw versionConflict(saved.conflict);
    return saved;
  },
  retrieveJobResult: async (request, c) => respondWithJson(c, await jobs.retrieveJobResult(request)),
};

/** A handler as `mount` calls it: its row's schemas have checked the types that the handler requires. */
interface Mounted {
  handle(
    request: Pick<
      OperationRequest<OperationId>,
      "platform" | "account" | "preflight" | "idempotencyKey" | "waitSeconds" | "linkDigest"
    > & {
      readonly body: unknown;
      readonly query: unknown;
    },
    c: Context<AppEnv>,
  ): Promise<object | void>;
}

/**
 * The operations that read the account in their first database call: each sends its first batch through the request's preflight,
 * and has no effect before that.
 */
const PREFLIGHTED: ReadonlySet<OperationId> = new Set(["createUploadPresign", "createJob"]);

/** Adds the routes of all operations, as the contract's table describes them. */
export function mountOperations(app: Hono<AppEnv>): void {
  for (const [path, ids] of Map.groupBy(OPERATION_IDS, (id) => OPERATIONS[id].path)) {
    // Hono's own syntax for the parameters: `{jobId}` is `:jobId`.
    const route = path.replace(/\{(\w+)\}/g, ":$1");
    for (const id of ids) mount(app, route, id);
    // Before the next path, which may match this one's URLs: `/v1/uploads/{taskId}` matches `/v1/uploads/import`.
    refuseOtherMethods(app, route);
  }
}

function mount(app: Hono<AppEnv>, route: string, id: OperationId): void {
  const operation: Operation = OPERATIONS[id];
  const mounted: Mounted = { handle: HANDLERS[id] };
  app.on(operation.method.toUpperCase(), route, async (c) => {
    c.set("operation", id);
    const shownJob = operation.byLink === true ? c.req.param("jobId") : undefined;
    const caller = await authenticate(c, undefined, shownJob);
    let read: ReturnType<typeof readRequest> | undefined;
    const serve = async (account: Account, preflight: Batching) => {
      c.set("account", account);
      const request = await (read ??= readRequest(c, operation));
      const { database } = account;
      const begun = Date.now();
      const answer = await needing(platform(c), database, () =>
        mounted.handle(
          {
            ...request,
            platform: platform(c).at(database),
            account,
            preflight,
            linkDigest: caller.linkDigest,
          },
          c,
        ),
      );
      if (request.waitSeconds !== null) {
        c.header("preference-applied", `wait=${request.waitSeconds}`);
        c.set("heldMs", Date.now() - begun);
      }
      return answer;
    };
    const { recalled } = caller;
    const isPreflighted = PREFLIGHTED.has(id);
    const answer = await enter(platform(c), { ...caller, recalled: isPreflighted ? recalled : null }, serve);
    if (answer instanceof Response) return answer;
    if (operation.status === 204 || answer === undefined) return c.body(null, 204);
    if (!isOnce(answer)) return c.json(answer, operation.status);
    if (answer.replayed) c.header("idempotent-replayed", "true");
    return c.json(answer.answer, c.get("status") ?? operation.status);
  });
}

/** Reads a request's parts, checked in this order. @throws ServiceError as idempotencyKeyOf, readBody and readQuery. */
async function readRequest(c: Context<AppEnv>, operation: Operation) {
  const { body, form, query, requestHeaders = [], maxBodyBytes } = operation;
  return {
    ...c.req.param(),
    idempotencyKey: idempotencyKeyOf(c, operation),
    body: form === undefined && body ? await readBody(c, body, maxBodyBytes) : undefined,
    query: query && (await readQuery(c, query)),
    waitSeconds: requestHeaders.includes("Prefer") ? waitSeconds(c.req.header("prefer")) : null,
  };
}

/** The request's Idempotency-Key, if the operation takes one. @throws ServiceError invalid_idempotency_key. */
function idempotencyKeyOf(c: Context<AppEnv>, { idempotencyKey: taken }: Operation): string | undefined {
  const header = c.req.header("idempotency-key");
  if (taken === undefined || (taken === "optional" && header === undefined)) return undefined;
  const key = IdempotencyKey.safeParse(header);
  if (!key.success) throw new ServiceError("invalid_idempotency_key");
  return key.data;
}
