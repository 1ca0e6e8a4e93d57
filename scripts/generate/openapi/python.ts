import { z } from "zod";

/** The fields of a schema in the API's document that this reads. */
const Schema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.union([z.string(), z.number()]).optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  description: z.string().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get items() {
    return z.union([Schema, z.literal(false)]).optional();
  },
  get prefixItems() {
    return z.array(Schema).optional();
  },
  get anyOf() {
    return z.array(Schema).optional();
  },
  get oneOf() {
    return z.array(Schema).optional();
  },
});
type Schema = z.infer<typeof Schema>;

const Content = z.record(z.string(), z.object({ schema: Schema }));
const Operation = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: Schema })).optional(),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.optional() })),
});
const Document = z.object({
  components: z.object({ schemas: z.record(z.string(), Schema) }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

const SCALARS: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

const HEAD = "# Made by `npm run openapi` from the service's contract. Change it there.";

const nameOfRef = (ref: string): string => ref.split("/").at(-1) ?? "";
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** Returns a name in Python's case; `from` is a keyword. */
const snake = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^from$/, "from_");

/** Returns a Python comment, indented, in lines of at most 110 characters. */
function docstring(text: string, indent: string): string {
  const lines = text.split("\n").flatMap((paragraph) => {
    const wrapped = [""];
    for (const word of paragraph.split(" ")) {
      const last = wrapped.at(-1) ?? "";
      if (last !== "" && indent.length + last.length + word.length > 110) wrapped.push(word);
      else wrapped[wrapped.length - 1] = last === "" ? word : `${last} ${word}`;
    }
    return wrapped;
  });
  const body = lines
    .map((line) => (line === "" ? "" : indent + line))
    .join("\n")
    .trim();
  return `${indent}"""${body}${lines.length > 1 ? `\n${indent}` : ""}"""\n`;
}

/** Fields of a job's request that are not options of a call. */
const OURS = new Set(["type", "prompts", "tasks", "regions"]);

/** The document's schemas as Python types: a TypedDict for each object, by its name or by its place in a named one. */
class Models {
  readonly #classes: string[] = [];
  readonly #aliases: string[] = [];

  /**
   * Returns the type of a schema.
   * @param name the class's, if it takes one
   * @param isSent true if clients write it: they may use tuples
   */
  #typeOf(schema: Schema, name: string, isSent: boolean): string {
    const { $ref, type, prefixItems, properties, items } = schema;
    if ($ref !== undefined) return nameOfRef($ref);
    const literals = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
    if (literals.length > 0) return `Literal[${literals.map((each) => JSON.stringify(each)).join(", ")}]`;
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices !== undefined) {
      const types = choices.map((each) => this.#typeOf(each, name + wordOf(each), isSent));
      return `Union[${types.join(", ")}]`;
    }
    if (Array.isArray(type)) return `Union[${type.map((each) => SCALARS[each]).join(", ")}]`;
    if (type === "array") {
      const item = items || prefixItems?.[0] || {};
      return `${isSent ? "Sequence" : "list"}[${this.#typeOf(item, name.replace(/s$/, ""), isSent)}]`;
    }
    if (properties === undefined) return SCALARS[type ?? ""] ?? "Any";
    this.#add(name, schema, isSent);
    return name;
  }

  #add(name: string, { properties = {}, required = [], description }: Schema, isSent: boolean): void {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.#typeOf(schema, name + capitalized(field), isSent);
      const comment = schema.description === undefined ? "" : docstring(schema.description, "    ");
      return `    ${field}: ${required.includes(field) ? type : `NotRequired[${type}]`}\n${comment}`;
    });
    const comment = description === undefined ? "" : `${docstring(description, "    ")}\n`;
    this.#classes.push(`class ${name}(TypedDict):\n${comment}${fields.join("")}`);
  }

  add(name: string, schema: Schema): void {
    const isSent = /Request$|Region(Point)?$/.test(name);
    const type = this.#typeOf(schema, name, isSent);
    // Classes come first; an alias may refer to a class.
    if (type !== name)
      this.#aliases.push(`${name}: TypeAlias = ${type.replaceAll(/\b[A-Z]\w+(?=[,\]])/g, '"$&"')}\n`);
  }

  /** Adds the options of a call that makes a job of pictures or of a video: the request's fields, in Python's case. */
  addOptions(name: string, { properties = {} }: Schema): void {
    const fields = Object.entries(properties).flatMap(([field, schema]) =>
      OURS.has(field)
        ? []
        : [
            `    ${snake(field)}: ${this.#typeOf(schema, "", true)}\n${docstring(schema.description ?? "", "    ")}`,
          ],
    );
    this.#classes.push(`class ${name}(TypedDict, total=False):\n${fields.join("")}`);
  }

  toString(): string {
    return [
      `"""The service's objects, by their names in its reference."""\n\n${HEAD}\n`,
      "from __future__ import annotations\n",
      "from typing import TYPE_CHECKING, Literal, Sequence, TypedDict, Union\n",
      "if TYPE_CHECKING:\n    from typing_extensions import NotRequired, TypeAlias\n\n",
      [...this.#classes, this.#aliases.join("")].join("\n\n"),
    ].join("\n");
  }
}

/** Returns the part of a variant that distinguishes it from the others: the first word of its type. */
function wordOf({ properties }: Schema): string {
  const { type } = properties ?? {};
  return capitalized(String(type?.const ?? type?.enum?.[0] ?? "").split(".")[0] ?? "");
}

interface Method {
  readonly id: string;
  readonly operation: z.infer<typeof Operation>;
  readonly path: string;
  readonly method: string;
  readonly itemOf: (schema: string) => string | undefined;
}

/** Returns an operation as a method of the synchronous or the asynchronous client. */
function methodOf({ id, operation, path, method, itemOf }: Method, isAsync: boolean): string {
  const { parameters = [], requestBody, responses, summary, description } = operation;
  const typeOf = (schema: Schema): string => {
    if (schema.$ref !== undefined) return `m.${nameOfRef(schema.$ref)}`;
    return SCALARS[String(schema.type)] ?? "str";
  };
  const inPath = parameters.filter((each) => each.in === "path").map(({ name }) => name);
  const inQuery = parameters.filter((each) => each.in === "query");
  const successes = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith("2") && content !== undefined ? [content] : [],
  );
  const answers = successes.flatMap((each) => each["application/json"]?.schema.$ref ?? []);
  const [success = {}, [answer]] = [successes[0], answers];
  const types = answers.map((each) => `m.${nameOfRef(each)}`).join(" | ");
  const item = answer === undefined ? undefined : itemOf(nameOfRef(answer));
  const body = requestBody?.content["application/json"]?.schema;
  const query = item === undefined ? inQuery : inQuery.filter(({ name }) => name !== "nextToken");
  const isStream = "text/event-stream" in success;
  const given = [
    "self",
    ...inPath.map((name) => `${snake(name)}: str`),
    ...(body === undefined ? [] : [`body: ${typeOf(body)}`]),
    ...(query.length === 0 ? [] : ["*"]),
    ...query.map(({ name, schema }) => `${snake(name)}: ${typeOf(schema)} | None = None`),
    "**options: Unpack[RequestOptions]",
  ];
  const iterator = isAsync ? "AsyncIterator" : "Iterator";
  const [kind, returns] = isStream
    ? ["stream", `${iterator}[Event]`]
    : item === undefined
      ? ["ask", answer === undefined ? "None" : types]
      : ["items", `${iterator}[m.${item}]`];
  const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${snake(name)}}`)}`;
  const values = [
    `"${route}"`,
    `{${inPath.map((name) => `"${snake(name)}": ${snake(name)}`).join(", ")}}`,
    ...(body === undefined ? [] : ["body=body"]),
    ...(query.length === 0
      ? []
      : [`query={${query.map(({ name }) => `"${name}": ${snake(name)}`).join(", ")}}`]),
    ...(answer === undefined && !isStream ? ["is_empty=True"] : []),
    "options=options",
  ];
  const isAwaited = isAsync && kind === "ask";
  const call = `${isAwaited ? "await " : ""}self._${kind}(${values.join(", ")})`;
  const head = `${isAwaited ? "async " : ""}def ${snake(id)}(`;
  return [
    `    ${head}\n${given.map((each) => `        ${each},\n`).join("")}    ) -> ${returns}:\n`,
    docstring([`${summary}.`, ...(description ? ["", description] : [])].join("\n"), "        "),
    kind === "ask" && answer !== undefined
      ? `        return cast(${answers.length === 1 ? types : `"${types}"`}, ${call})\n`
      : `        ${kind === "ask" ? "" : "return "}${call}\n`,
  ].join("");
}

const classOf = (tag: string): string => tag.split(" ").map(capitalized).join("");

/** The Python package's generated files by their paths: the service's objects, and its operations as methods. */
export function pythonFiles(openApi: unknown): [string, string][] {
  const { components, paths } = Document.parse(openApi);
  const { schemas } = components;
  const models = new Models();
  for (const [name, schema] of Object.entries(schemas)) models.add(name, schema);
  for (const [name, request] of [
    ["ImageJobOptions", "ImageJobRequest"],
    ["VideoJobOptions", "VideoJobRequest"],
  ] as const)
    models.addOptions(name, schemas[request] ?? {});
  const itemOf = (name: string): string | undefined => {
    const { items, nextToken } = schemas[name]?.properties ?? {};
    return nextToken && items?.items ? nameOfRef(items.items.$ref ?? "") : undefined;
  };
  const byTag = new Map<string, Method[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags;
      const all = byTag.get(tag) ?? [];
      byTag.set(tag, [...all, { id: operation.operationId, operation, path, method, itemOf }]);
    }
  const classes = [false, true].flatMap((isAsync) => {
    const prefix = isAsync ? "Async" : "";
    const names = [...byTag.keys()].map((tag) => `${prefix}${classOf(tag)}`);
    const sections = [...byTag].map(
      ([tag, methods]) =>
        `class ${prefix}${classOf(tag)}(${prefix}Operations):\n${docstring(`The operations of the reference's section ${tag}.`, "    ")}\n` +
        methods.map((each) => methodOf(each, isAsync)).join("\n"),
    );
    const all = `class ${prefix}Api(${names.join(", ")}):\n${docstring("Every operation of the service.", "    ")}`;
    return sections.concat(all);
  });
  const api = [
    `"""The service's operations as methods."""\n\n${HEAD}\n`,
    "from __future__ import annotations\n",
    "from typing import TYPE_CHECKING, AsyncIterator, Iterator, cast\n",
    "from . import models as m\nfrom ._http.operations import AsyncOperations, Operations\n",
    "if TYPE_CHECKING:\n    from typing_extensions import Unpack\n\n    from ._http.connection import Event\n    from .options import RequestOptions\n\n",
    classes.join("\n\n"),
  ].join("\n");
  const folder = "python/src/segmentation_client";
  return [
    [`${folder}/models.py`, models.toString()],
    [`${folder}/api.py`, api],
  ];
}
