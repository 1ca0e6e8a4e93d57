import fc from "fast-check";
import { z } from "zod";
import type { Operation } from "../../../../src/shared/api/operation.ts";
import { OPERATIONS, type OperationId } from "../../../../src/operations.ts";
import { Regions } from "../../../../src/jobs/contract/region.ts";
import { OPERATION_IDS } from "../../operation-tables.ts";
import { ABSENT, type Named, Parameter } from "../../operation-requests.ts";
import { invalid, malformedJson, valid } from "./schema-arbitrary.ts";

/** A request without its credential. */
export interface RandomRequest {
  readonly operation: OperationId;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Placeholders for an account's ids, which are known when the request is sent, not when it is drawn. */
export const OWN = {
  jobId: [`job_${"f".repeat(32)}`, `job_${"d".repeat(32)}`],
  taskId: ["f", "e", "d"].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000.png`),
  keyId: [`key_${"f".repeat(32)}`],
  endpointId: [`whe_${"f".repeat(32)}`],
  deliveryId: [`evt_${"f".repeat(32)}`],
} as const satisfies Record<keyof Named, readonly string[]>;

/** Placeholders for things that may be deleted: the other requests use the rest. */
export const SPARE: Partial<Named> & Pick<Named, "jobId" | "taskId" | "endpointId"> = {
  jobId: `job_${"e".repeat(32)}`,
  taskId: `${"c".repeat(8)}-0000-4000-8000-000000000000.png`,
  endpointId: `whe_${"e".repeat(32)}`,
};

const JSON_TYPE = { "content-type": "application/json" };
const operations = OPERATION_IDS.map((id): readonly [OperationId, Operation] => [id, OPERATIONS[id]]);

const utf8 = (value: unknown): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(new TextEncoder().encode(JSON.stringify(value)));

/** The header of an operation that takes the version on which it is based: the version before the first. */
const basedOn = ({ requestHeaders = [] }: Operation): Record<string, string> =>
  requestHeaders.includes("If-Match") ? { "if-match": '"0"' } : {};

const idempotencyKey = fc.stringMatching(/^[\x21-\x7e]{1,128}$/);

/** A segment of a path: any string that survives a URL. */
const segment = fc
  .oneof(fc.constantFrom(...Object.values(ABSENT)), fc.string({ minLength: 1, unit: "binary" }))
  .map((text) => encodeURIComponent(text.toWellFormed()))
  .filter((text) => !/^(\.|%2e)+$/i.test(text));

const queryText = (values: unknown): string => {
  const pairs = z.record(z.string(), z.coerce.string()).parse(values);
  const text = new URLSearchParams(pairs).toString();
  return text === "" ? "" : `?${text}`;
};

const pathOf = ({ path }: Operation, id: string, query: unknown): string =>
  path.replace("{deliveryId}", OWN.deliveryId[0]).replace(/\{\w+\}/, id) + queryText(query);

/** A body that a schema accepts. A job often names the account's files and regions of them, an import and an endpoint a URL. */
function bodyOf(id: OperationId, schema: z.ZodType): fc.Arbitrary<unknown> {
  if (id === "importUpload") {
    const url = fc.nat().map((n) => `https://pictures.example/${n}.png`);
    return fc.oneof(valid(schema), fc.record({ url }));
  }
  if (id === "segment") {
    const images = fc.oneof(
      fc.constantFrom(...OWN.taskId).map((taskId) => ({ taskId })),
      fc.nat().map((n) => ({ url: `https://pictures.example/${n}.png` })),
    );
    return fc.tuple(valid(schema), fc.option(images)).map(([body, image]): unknown => ({
      ...Object(body),
      ...(image !== null && { image }),
    }));
  }
  if (id === "createWebhookEndpoint") {
    const url = fc.webUrl({ validSchemes: ["https"] });
    return fc.tuple(valid(schema), url).map(([body, to]) => ({ ...Object(body), url: to }));
  }
  if (id !== "createJob") return valid(schema);
  const own = fc.shuffledSubarray([...OWN.taskId], { minLength: 1 });
  const typeOf = (job: unknown): string => z.looseObject({ type: z.string() }).parse(job).type;
  // The account's files are pictures: a job of another type is always refused.
  const ofPictures = valid(schema).filter((job) => typeOf(job) === "image");
  return fc
    .tuple(fc.oneof(valid(schema), ofPictures), fc.option(own), fc.option(valid(Regions)))
    .map(([job, tasks, places]): unknown => {
      if (tasks === null) return job;
      if (typeOf(job) === "video") return { ...Object(job), tasks: tasks.slice(0, 1) };
      const regions = places && Regions.parse(places).map((place) => ({ ...place, taskId: tasks[0] }));
      return { ...Object(job), tasks, ...(regions !== null && { regions }) };
    });
}

/** Returns the account's ids that the first parameter of a path may name, and ids that a client could mistake for them. */
function ownNames({ method, path }: Operation): { right: readonly string[]; mistaken: readonly string[] } {
  const kind = Parameter.options.find((name) => path.includes(`{${name}}`));
  const mistaken = Parameter.options.filter((name) => name !== kind).flatMap((name) => OWN[name]);
  if (kind === undefined) return { right: mistaken, mistaken };
  const spare = method === "delete" && path.endsWith(`{${kind}}`) ? SPARE[kind] : undefined;
  return { right: spare === undefined ? OWN[kind] : [spare], mistaken };
}

function validRequest(id: OperationId, operation: Operation): fc.Arbitrary<RandomRequest> {
  const { right, mistaken } = ownNames(operation);
  const wantsKey = operation.idempotencyKey === "required" ? idempotencyKey : fc.option(idempotencyKey);
  return fc
    .record({
      // A third each: with fewer valid ids, a thousand requests of all operations would include none for some operation.
      name: fc.oneof(segment, fc.constantFrom(...right), fc.constantFrom(...mistaken)),
      query: operation.query === undefined ? fc.constant({}) : valid(operation.query),
      key: operation.idempotencyKey === undefined ? fc.constant(null) : wantsKey,
      body: operation.body === undefined ? fc.constant(null) : bodyOf(id, operation.body).map(utf8),
    })
    .map(({ name, query, key, body }) => ({
      operation: id,
      path: pathOf(operation, name, query),
      headers: {
        ...(body && JSON_TYPE),
        ...basedOn(operation),
        // Its job never ends.
        ...(operation.unfinished !== undefined && { prefer: "wait=1" }),
        ...(key !== null && { "idempotency-key": key }),
      },
      body,
    }));
}

/** Requests that a client may send, of all operations. */
export const validRequests = (): fc.Arbitrary<RandomRequest> =>
  fc.oneof(
    ...operations.map(([id, operation]) => ({
      arbitrary: validRequest(id, operation),
      // Few jobs name only things that their account has.
      weight: id === "createJob" ? 3 : 1,
    })),
  );

/** Returns true if the schema refuses a query's decoded meaning: URLs only carry strings. */
const refusedQuery = (schema: z.ZodObject) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(schema.shape)), fc.string({ maxLength: 12 }), { minKeys: 1 })
    .filter((query) => !schema.safeParse(query).success);

const badTypes = fc.constantFrom(
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonp",
  "application",
  "json",
  "application/json; charset=latin1",
);

const tooLong = fc.integer({ min: 129, max: 1_000 }).map((length) => "k".repeat(length));

function malformedRequest(id: OperationId, operation: Operation): fc.Arbitrary<RandomRequest>[] {
  const { body, query } = operation;
  const key: Record<string, string> = {
    ...basedOn(operation),
    ...(operation.idempotencyKey === "required" && { "idempotency-key": "key" }),
  };
  const request = (parts: Partial<RandomRequest>): RandomRequest => ({
    operation: id,
    path: pathOf(operation, "absent", {}),
    headers: { ...key },
    body: null,
    ...parts,
  });
  const kinds: fc.Arbitrary<RandomRequest>[] = [];
  if (query !== undefined) {
    kinds.push(refusedQuery(query).map((values) => request({ path: pathOf(operation, "absent", values) })));
  }
  if (body !== undefined) {
    const headers = { ...key, ...JSON_TYPE };
    const wrong = invalid(body).map((value) => request({ headers, body: utf8(value) }));
    kinds.push(
      wrong,
      wrong,
      malformedJson(body).map((bytes) => request({ headers, body: bytes })),
      fc
        .tuple(badTypes, valid(body))
        .map(([type, value]) => request({ headers: { ...key, "content-type": type }, body: utf8(value) })),
    );
  }
  if (operation.idempotencyKey !== undefined) {
    const good = body === undefined ? fc.constant(null) : valid(body).map(utf8);
    kinds.push(
      fc
        .tuple(tooLong, good)
        .map(([long, bytes]) => request({ headers: { ...JSON_TYPE, "idempotency-key": long }, body: bytes })),
    );
  }
  if (operation.idempotencyKey === "required") kinds.push(fc.constant(request({ headers: {} })));
  return kinds;
}

/** Malformed requests of all operations that have parameters or a body. */
export const malformedRequests = (): fc.Arbitrary<RandomRequest> =>
  fc.oneof(...operations.flatMap(([id, operation]) => malformedRequest(id, operation)));
