import type { operations, ROUTES } from "../contract.ts";
import type { RequestOptions } from "../options.ts";

export type OperationId = keyof typeof ROUTES;

/** A part of an object type, or `unknown` if it is absent. */
type Part<T, Name extends string> = T extends { readonly [N in Name]: infer Value } ? Value : unknown;
type Given<T> = [T] extends [undefined] ? unknown : NonNullable<T>;

type Parameters<Id extends OperationId> = operations[Id]["parameters"];
type Body<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Value } };
}
  ? Value
  : unknown;

/** Input of an operation: the names in its path, its query and the fields of its body, in one object. */
export type Input<Id extends OperationId> = Given<Part<Parameters<Id>, "path">> &
  Given<NonNullable<Parameters<Id>["query"]>> &
  Body<Id> &
  object;

type Success = 200 | 201 | 202 | 204;
type Responses<Id extends OperationId> = operations[Id]["responses"];
type Content<Id extends OperationId> = Responses<Id>[keyof Responses<Id> & Success];

/** Answer of an operation; nothing for a 204. */
export type Answer<Id extends OperationId> =
  Content<Id> extends { content: { "application/json": infer Value } } ? Value : undefined;

type DataOf<C> = C extends { content: { "text/event-stream": infer Value } } ? Value : never;

/** One event of an operation that answers with a stream. */
export interface ApiEvent<Data> {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Data;
}

/** Items of a list's pages; never for an operation without pages. */
export type Item<Id extends OperationId> =
  Answer<Id> extends { items: (infer One)[]; nextToken: string | null } ? One : never;

/** The answer of an operation; `withResponse` also gives the HTTP response. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<{ readonly data: T; readonly response: Response }>;
}

/** Awaited, one page; iterated, all items of this page and the following ones. Or a stream's events. */
type ApiAnswer<Id extends OperationId> = [DataOf<Content<Id>>] extends [never]
  ? ApiPromise<Answer<Id>> & ([Item<Id>] extends [never] ? unknown : AsyncIterable<Item<Id>>)
  : AsyncIterable<ApiEvent<DataOf<Content<Id>>>>;

type Arguments<Id extends OperationId> =
  {} extends Input<Id>
    ? [input?: Input<Id>, options?: RequestOptions]
    : [input: Input<Id>, options?: RequestOptions];

/** An operation as a method. */
export type Call<Id extends OperationId> = (...given: Arguments<Id>) => ApiAnswer<Id>;
