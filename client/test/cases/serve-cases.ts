import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { listen } from "../../../scripts/shared/listen.ts";
import { maskFile, ring } from "../support/shapes.ts";

const Answer = z.strictObject({
  status: z.number().default(200),
  headers: z.record(z.string(), z.string()).default({}),
  json: z.unknown().optional(),
  text: z.string().optional(),
  /** The mask file of `ring(number, index)`: of a prompt, or of a region, which may have a label. */
  mask: z
    .strictObject({
      ring: z.tuple([z.number(), z.number()]),
      prompt: z.string().optional(),
      region: z.string().optional(),
      label: z.string().optional(),
    })
    .optional(),
  /** The fault after half of the body: the connection is cut, or nothing more comes. */
  ending: z.enum(["cut", "stall"]).optional(),
});
type Answer = z.infer<typeof Answer>;

const Exchange = z.strictObject({
  /** Method and path. `{base}` in a body is the address of the case. */
  asked: z.string(),
  query: z.record(z.string(), z.string()).default({}),
  /** `$name` matches any text, the same in all exchanges of a case; null means that the header is absent. */
  headers: z.record(z.string(), z.string().nullable()).default({}),
  json: z.unknown().optional(),
  text: z.string().optional(),
  answer: Answer,
});
type Exchange = z.infer<typeof Exchange>;

/** One case that every client passes: the call, the expected requests to the service, and the caller's result. */
export const Case = z.strictObject({
  name: z.string(),
  client: z.record(z.string(), z.unknown()).default({}),
  call: z.strictObject({ method: z.string(), given: z.record(z.string(), z.unknown()) }),
  exchanges: z.array(Exchange).default([]),
  result: z.unknown().optional(),
  error: z.record(z.string(), z.unknown()).optional(),
});
export type Case = z.infer<typeof Case>;

/**
 * Plays all cases at a free port: case `i` for a client called `name` is at `/name/i`, the value of `{base}` in an
 * answer. `complaintsOf` lists requests that the case lacks, and requests of the case that did not come.
 */
export async function serveCases(cases: readonly Case[]) {
  interface State {
    readonly left: Exchange[];
    readonly complaints: string[];
    readonly names: Map<string, string>;
  }
  const states = new Map<string, State>();
  const stateOf = (place: string): State => {
    const left = [...(cases[Number(place.split("/")[2])]?.exchanges ?? [])];
    const state = states.get(place) ?? { left, complaints: [], names: new Map<string, string>() };
    states.set(place, state);
    return state;
  };

  async function play(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", `http://${request.headers.host}`);
    const [, place = "", path = ""] = /^(\/\w+\/\d+)(.*)$/.exec(url.pathname) ?? [];
    const { left, complaints, names } = stateOf(place);
    const asked = `${request.method} ${path}`;
    const body = (await buffer(request)).toString();
    const query = sorted(Object.fromEntries(url.searchParams));
    const base = `${url.origin}${place}`;
    const differs = (each: Exchange): string | undefined => {
      if (sorted(each.query) !== query) return `the query ${query} instead of ${sorted(each.query)}`;
      if (each.text !== undefined && each.text !== body) return `${body} instead of ${each.text}`;
      if (each.json === undefined) return undefined;
      const json = sorted(JSON.parse(body || "null"));
      const wanted = sorted(each.json).replaceAll("{base}", base);
      return json === wanted ? undefined : `${json} instead of ${wanted}`;
    };
    // Requests for several files come in any order.
    const same = left.filter((each) => each.asked === asked);
    const exchange = same.find((each) => differs(each) === undefined) ?? same[0];
    if (exchange === undefined) {
      complaints.push(`${asked} is not expected`);
      response.writeHead(400).end();
      return;
    }
    left.splice(left.indexOf(exchange), 1);
    const difference = differs(exchange);
    if (difference !== undefined) complaints.push(`${asked}: ${difference}`);
    for (const [name, wanted] of Object.entries(exchange.headers)) {
      const value = request.headers[name]?.toString() ?? null;
      const right = wanted?.startsWith("$") && value !== null ? (names.get(wanted) ?? value) : wanted;
      if (wanted?.startsWith("$") && value !== null) names.set(wanted, value);
      if (value !== right) complaints.push(`${asked}: ${name} is ${value} instead of ${right}`);
    }
    send(response, exchange.answer, base);
  }

  const server = createServer((request, response) => void play(request, response));
  const origin = await listen(server);
  return {
    origin,
    complaintsOf(place: string): string[] {
      const { left, complaints } = stateOf(place);
      return [...complaints, ...left.map(({ asked }) => `${asked} was not asked`)];
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(
  response: ServerResponse,
  { status, headers, json, text, mask, ending }: Answer,
  base: string,
): void {
  const written = (json === undefined ? (text ?? "") : JSON.stringify(json)).replaceAll("{base}", base);
  const body = mask ? Buffer.from(fileOf(mask)) : Buffer.from(written);
  const type = json === undefined ? {} : { "content-type": "application/json" };
  const length = ending === undefined && status !== 204 ? { "content-length": body.length } : {};
  response.writeHead(status, { ...type, ...length, ...headers });
  if (ending === undefined) response.end(body);
  else
    response.write(
      body.subarray(0, body.length / 2),
      () => void (ending === "cut" && response.socket?.end()),
    );
}

function fileOf({ ring: numbers, prompt, region = "", label }: NonNullable<Answer["mask"]>) {
  const [text, keyword] =
    prompt === undefined ? ([region, "region"] as const) : ([prompt, "prompt"] as const);
  return maskFile(ring(...numbers), text, keyword, label);
}

/** JSON with its names in order: clients may write them in any. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
