import type { z } from "zod";
import {
  IdempotencyKey,
  PATH_PARAMETERS,
  REQUEST_HEADERS,
  TAGS,
  type Operation,
} from "../../shared/api/operation.ts";
import { OPERATIONS } from "../../operations.ts";
import { SettingsSchema } from "../../settings.ts";
import { componentSchemas, parameterSchema, requestReference } from "./components.ts";
import { commonResponses, HEADERS, responsesOf } from "./responses.ts";

const { shape: settings } = SettingsSchema;

/** Limits that the operator may have changed. */
const DEFAULTS: readonly (readonly [limit: string, value: number, unit: string])[] = [
  ["size of an image", settings.MAX_IMAGE_BYTES.parse(undefined), "bytes"],
  ["resolution of an image", settings.MAX_IMAGE_PIXELS.parse(undefined), "pixels"],
  ["size of a video", settings.MAX_VIDEO_BYTES.parse(undefined), "bytes"],
  ["length of a video", settings.MAX_VIDEO_SECONDS.parse(undefined), "seconds"],
  ["resolution of a video", settings.MAX_VIDEO_FRAME_PIXELS.parse(undefined), "pixels per frame"],
  ["processed frames per video", settings.MAX_VIDEO_FRAMES.parse(undefined), "frames"],
  ["prompts per job", settings.MAX_PROMPTS.parse(undefined), "prompts"],
  ["length of a prompt", settings.MAX_PROMPT_LENGTH.parse(undefined), "characters"],
  ["size of a JSON body", settings.MAX_BODY_BYTES.parse(undefined), "bytes"],
  ["jobs of a paid account in progress", settings.MAX_ACTIVE_JOBS.parse(undefined), "jobs"],
  ["tokens of the free trial", settings.TRIAL_TOKENS.parse(undefined), "tokens"],
  ["length of the free trial", settings.TRIAL_DAYS.parse(undefined), "days"],
  ["images per job in the free trial", settings.TRIAL_MAX_IMAGES.parse(undefined), "images"],
  ["retention of files and jobs", settings.RETENTION_DAYS.parse(undefined), "days"],
];

const DESCRIPTION = `Send pictures or a video with text prompts, and get masks back. \`POST /v1/segment\` does it in one request, for one picture.
In three steps:

1. **Upload**: get a URL from \`POST /v1/uploads/presign\` and PUT the file there with the same Content-Type.
2. **Segment**: send its \`taskId\` and the prompts to \`POST /v1/jobs\`, then wait for it with \`GET /v1/jobs/{jobId}\` and
   \`Prefer: wait=60\`, or listen to its events.
3. **Download**: \`GET /v1/jobs/{jobId}/result\` returns signed URLs of the masks; \`/download\` builds a zip of them all.

Every error is an object with a stable code in \`error\` and an explanation in \`message\`. An unknown path gets 404, a wrong
method 405. Bodies are JSON in UTF-8, with each key once per object. Every response has the header \`X-Request-Id\`.

Default limits, which the operator of the service may change:

| limit | value |
|---|---|
${DEFAULTS.map(([limit, value, unit]) => `| ${limit} | ${value.toLocaleString("en")} ${unit} |`).join("\n")}
| requests of an account | 600 per minute |
| requests of a network address with a new or invalid credential | 300 per minute |
`;

const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "A secret API key (`sk_live_…`), or an access token from the identity provider that this service is configured with. Operations that say so also take the token of a share (`shr_…`), for the jobs that it shows.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description:
      "The same credential, for clients that send no `Authorization`. With both headers, `Authorization` decides.",
  },
} as const;

const parameter = (place: string, name: string, required: boolean, schema: z.ZodType): object => ({
  name,
  in: place,
  required,
  description: schema.meta()?.description,
  schema: parameterSchema(schema),
});

function parametersOf({ path, query, idempotencyKey, requestHeaders = [] }: Operation): object[] {
  return [
    ...Object.entries(PATH_PARAMETERS)
      .filter(([name]) => path.includes(`{${name}}`))
      .map(([name, schema]) => parameter("path", name, true, schema)),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => parameter("query", name, false, schema)),
    ...(idempotencyKey === undefined
      ? []
      : [parameter("header", "Idempotency-Key", idempotencyKey === "required", IdempotencyKey)]),
    ...requestHeaders.map((name) => parameter("header", name, name === "If-Match", REQUEST_HEADERS[name])),
  ];
}

const BY_LINK = "The token of a share that shows the job is a credential for it, too.";

function describe(operationId: string, operation: Operation): object {
  const parameters = parametersOf(operation);
  const description = [operation.description ?? [], operation.byLink === true ? BY_LINK : []]
    .flat()
    .join(" ");
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...(description !== "" && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: requestReference(operation.body) },
          ...(operation.form && { "multipart/form-data": { schema: requestReference(operation.form) } }),
        },
      },
    }),
  };
}

function paths(): Record<string, Record<string, object>> {
  const byPath: Record<string, Record<string, object>> = {};
  for (const [operationId, operation] of Object.entries(OPERATIONS)) {
    byPath[operation.path] = {
      ...byPath[operation.path],
      [operation.method]: { ...describe(operationId, operation), responses: responsesOf(operation) },
    };
  }
  return byPath;
}

/** The API's description: OpenAPI 3.1, made from the schemas that validate its requests. It is the same for every operator. */
export const openApiDocument = () => ({
  openapi: "3.1.1",
  info: {
    title: "Segmentation Job Service",
    version: "1.0.0",
    description: DESCRIPTION,
    license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/" }],
  security: [{ bearer: [] }, { apiKey: [] }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  paths: paths(),
  components: {
    schemas: componentSchemas(),
    responses: commonResponses(),
    headers: HEADERS,
    securitySchemes: SECURITY_SCHEMES,
  },
});
