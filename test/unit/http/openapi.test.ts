import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { generatedFiles } from "../../../scripts/generate/openapi/files.ts";
import { ErrorObject } from "../../../src/shared/api/error.ts";
import { ERROR_CATALOGUE } from "../../../src/shared/errors.ts";
import { openApiDocument } from "../../../src/http/openapi/document.ts";
import { OPERATION_IDS } from "../../../src/operations.ts";
import { SPECIFIED_STATUSES } from "../../conformance/statuses.ts";

const document = openApiDocument();
const text = JSON.stringify(document);

const EXAMPLES = {
  "no-invalid-schema-examples": "error",
  "no-invalid-media-type-examples": "error",
  "no-invalid-parameter-examples": "error",
} as const;

async function problemsOf(
  description: object,
  rules: readonly string[] = ["recommended"],
): Promise<string[]> {
  const config = await createConfig({ extends: [...rules], rules: EXAMPLES });
  const source = JSON.stringify(description);
  const problems = await lintFromString({ source, config, absoluteRef: "openapi.json" });
  return problems.map(
    ({ ruleId, message, location: [at] }) => `${ruleId} at ${String(at?.pointer)}: ${message}`,
  );
}

/** Returns the examples of a schema that are invalid. The operations would check them once each. */
async function wrongOnes<T extends object>(schema: string, ...examples: readonly T[]): Promise<T[]> {
  const changed = structuredClone({ ...document, paths: {} });
  Object.assign(changed.components.schemas[schema] ?? {}, { examples });
  const problems = await problemsOf(changed, []);
  return examples.filter((_, i) =>
    problems.some((problem) =>
      problem.startsWith(`no-invalid-schema-examples at #/components/schemas/${schema}/examples/${i}`),
    ),
  );
}

/** Python's keywords (its language reference, 2.3.1) that one of our names could be. */
const PYTHON =
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";

const Response = z.object({
  content: z.object({
    "application/json": z.object({ examples: z.record(z.string(), z.object({ value: ErrorObject })) }),
  }),
});
const Responses = z.record(z.string(), z.union([Response, z.unknown()]));
const Paths = z.record(
  z.string(),
  z.record(z.string(), z.object({ operationId: z.string(), responses: Responses })),
);

/** Returns the names of all fields in a schema, also of nested ones. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = z
    .object({ properties: z.record(z.string(), z.unknown()).optional() })
    .catch({})
    .parse(schema);
  return [...Object.keys(properties), ...Object.values(schema).flatMap(fieldsOf)];
}

/** Names whose value may be a boolean that is not a schema; readers support `additionalProperties: false`. */
const OTHER_BOOLEANS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "required",
  "examples",
  "default",
  "const",
]);

/** The places of all boolean schemas. */
const booleanSchemas = (value: unknown, at = ""): string[] => {
  if (typeof value === "boolean") return [at];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    OTHER_BOOLEANS.has(name) ? [] : booleanSchemas(part, `${at}/${name}`),
  );
};

describe("the API's document", () => {
  it("and the client's contract match the code (npm run openapi)", async () => {
    for (const [path, made] of await generatedFiles()) {
      expect(readFileSync(path, "utf8") === made, `${path} is stale: npm run openapi`).toBe(true);
    }
  });

  it("passes Redocly, and its examples match its schemas", async () => {
    expect(await problemsOf(document)).toEqual([]);
    expect(text.match(/"examples":/g)?.length).toBeGreaterThan(20);
  });

  it("has no boolean schema, which common generators cannot read, but for additionalProperties", () => {
    expect(booleanSchemas(document)).toEqual([]);
  });

  it("says that fps and numFrames exclude each other, and that a field of the other variant is refused [4.3-14]", async () => {
    const job = { type: "video", prompts: ["dog"], tasks: ["3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4"] };
    const wrong = [{ fps: 2, numFrames: 3 }, { threshold: 0.5 }, { fps: 0 }].map((more) => ({
      ...job,
      ...more,
    }));
    expect(await wrongOnes("VideoJobRequest", job, ...wrong)).toEqual(wrong);
  });

  it("says that a job without prompts needs regions, and that a region is either a box or points", async () => {
    const taskId = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg";
    const [box, points] = [[1, 2, 3, 4], [{ x: 1, y: 2, label: 1 }]];
    const [job, clip] = [
      { type: "image", tasks: [taskId] },
      { type: "video", tasks: [taskId] },
    ];
    for (const [schema, right, ...wrong] of [
      ["ImageJobRequest", { ...job, regions: [{ taskId, box }] }, job, { ...job, regions: [] }],
      ["Region", { taskId, points }, { taskId }, { taskId, box, points }, { taskId, box: [1, 2, 3] }],
      ["VideoJobRequest", { ...clip, regions: [{ taskId, box }] }, clip, { ...clip, regions: [] }],
      ["ClipRegion", { taskId, timeSeconds: 1, points }, { taskId }, { taskId, box, points }],
      ["SegmentRequest", { image: { taskId }, regions: [{ box }] }, { image: { taskId } }],
      ["PictureRegion", { points }, {}, { box, points }],
    ] as const) {
      expect(await wrongOnes<object>(schema, right, ...wrong)).toEqual(wrong);
    }
  });

  it("describes an operation's form, and the meaning of a 202 [A26-1 A26-4]", () => {
    const { requestBody, responses } = z
      .object({
        requestBody: z.object({ content: z.record(z.string(), z.unknown()) }),
        responses: z.record(z.string(), z.unknown()),
      })
      .parse(document.paths["/v1/segment"]?.["post"]);
    expect(Object.keys(requestBody.content)).toEqual(["application/json", "multipart/form-data"]);
    expect(JSON.stringify(responses["202"])).toContain("UnfinishedSegmentation");
  });

  it("tells variants apart by their own fields alone, because clients that are generated for Rust send a discriminator twice and lose an anyOf", () => {
    expect(text).not.toContain('"discriminator"');
    const { JobEventData: _ofTheStream, ...schemas } = document.components.schemas;
    const unions = [
      ...JSON.stringify(schemas).matchAll(/(?<!"not":\{)"anyOf":(\[(?:[^[\]]|\[[^\]]*\])*\])/g),
    ];
    expect(unions.length).toBeGreaterThan(5);
    for (const [, variants] of unions) expect(variants).toContain('{"type":"null"}');
  });

  it("has no field or parameter named by a Python keyword, except for a renamed parameter", () => {
    const fields = Object.values(document.components.schemas).flatMap(fieldsOf);
    const parameters = [
      ...text.matchAll(/"in":"(?:path|query)","name":"(\w+)"|"name":"(\w+)","in":"(?:path|query)"/g),
    ];
    const names = [...fields, ...parameters.map(([, name, other]) => name ?? other)];
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => PYTHON.split(" ").includes(name ?? ""))).toEqual(["from"]);
  });

  it("is labeled 1.0.0, and every path begins with its version [9-1]", () => {
    expect(document.info.version).toBe("1.0.0");
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/v1\//);
  });

  it("has the specification's statuses of each operation [4-1]", () => {
    const statuses = new Map<string, string[]>();
    for (const path of Object.values(Paths.parse(document.paths))) {
      for (const { operationId, responses } of Object.values(path)) {
        statuses.set(operationId, Object.keys(responses));
      }
    }
    expect([...statuses.keys()].toSorted()).toEqual(OPERATION_IDS.toSorted());
    for (const [operationId, specified] of Object.entries(SPECIFIED_STATUSES)) {
      expect(statuses.get(operationId), operationId).toEqual(expect.arrayContaining(specified.map(String)));
    }
  });

  it("describes each error only by its catalog, under its status [2.11-1 7-1]", () => {
    const answers = [
      ...Object.values(Paths.parse(document.paths)).flatMap((path) =>
        Object.values(path).flatMap(({ responses }) => Object.entries(responses)),
      ),
      ...Object.entries(document.components.responses),
    ];
    let examples = 0;
    for (const [status, answer] of answers) {
      const known = Response.safeParse(answer);
      for (const { value } of known.success
        ? Object.values(known.data.content["application/json"].examples)
        : []) {
        const [of, message] =
          Object.entries(ERROR_CATALOGUE).find(([code]) => code === value.error)?.[1] ?? [];
        expect(value.message).toBe(message);
        if (/^\d+$/.test(status)) expect(String(of), value.error).toBe(status);
        examples += 1;
      }
    }
    expect(examples).toBeGreaterThan(50);
  });

  it("states the rates that wrangler.toml sets [8-14]", () => {
    const { ratelimits } = z
      .object({
        ratelimits: z.array(z.object({ simple: z.object({ limit: z.int(), period: z.literal(60) }) })),
      })
      .parse(parse(readFileSync("wrangler.toml", "utf8")));
    expect(ratelimits).toHaveLength(2);
    for (const { simple } of ratelimits)
      expect(document.info.description).toContain(`| ${simple.limit} per minute |`);
  });
});
