/** A bare name in a literal, such as that of a variable. */
export class Name {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Syntax of a language's values. */
interface Dialect {
  readonly text: (text: string) => string;
  readonly name: (name: string) => string;
  /** A field of an object, of its key and the written value. */
  readonly field: (key: string, value: string) => string;
  readonly constants: { readonly true: string; readonly false: string; readonly null: string };
  /** The space inside an object's braces on one line. */
  readonly padding: string;
  /** Spaces for each level. */
  readonly indent: number;
  /** Text after the last item of several lines. */
  readonly end: string;
}

/** A string in double quotes that JSON, JavaScript and Python read alike. Lone halves of pairs are escaped. */
export const quoted = (text: string): string => JSON.stringify(text);

/** A string of JSON inside of single quotes of a shell. */
const inQuotes = (text: string): string => quoted(text).replaceAll("'", String.raw`'\''`);

const JSON_TEXT: Dialect = {
  text: quoted,
  name: (name) => name,
  field: (key, value) => `${quoted(key)}: ${value}`,
  constants: { true: "true", false: "false", null: "null" },
  padding: "",
  indent: 2,
  end: "",
};

/** JSON inside of single quotes of a shell; a name is a variable of the shell. */
const SHELL_JSON: Dialect = {
  ...JSON_TEXT,
  text: inQuotes,
  name: (name) => `"'"$${name}"'"`,
  field: (key, value) => `${inQuotes(key)}: ${value}`,
};

const TYPESCRIPT: Dialect = {
  ...JSON_TEXT,
  field: (key, value) => {
    const isPlain = /^[a-z]\w*$/i.test(key);
    if (isPlain) return key === value ? key : `${key}: ${value}`;
    return `[${quoted(key)}]: ${value}`;
  },
  padding: " ",
  end: ",",
};

const PYTHON: Dialect = {
  ...JSON_TEXT,
  constants: { true: "True", false: "False", null: "None" },
  indent: 4,
  end: ",",
};

/** The maximum length of a list or an object on one line. */
const LINE = 76;

/** Writes a value; a value longer than a line gets a line for each item. `indent` is the number of spaces before the line. */
function write(value: unknown, dialect: Dialect, indent: number): string {
  if (value instanceof Name) return dialect.name(value.name);
  if (typeof value === "string") return dialect.text(value);
  if (typeof value === "number") return String(value);
  if (typeof value !== "object") return dialect.constants[value === true ? "true" : "false"];
  if (value === null) return dialect.constants.null;
  const isList = Array.isArray(value);
  const items = (by: number): string[] =>
    isList
      ? value.map((item) => write(item, dialect, by))
      : Object.entries(value).map(([key, item]) => dialect.field(key, write(item, dialect, by)));
  const [open, close, space] = isList ? ["[", "]", ""] : ["{", "}", dialect.padding];
  const flat = items(0);
  const line = `${open}${space}${flat.join(", ")}${space}${close}`;
  const isShort = indent + line.length <= LINE && !line.includes("\n");
  if (flat.length === 0) return open + close;
  if (isShort) return line;
  const deeper = indent + dialect.indent;
  const pad = `\n${" ".repeat(deeper)}`;
  return `${open}${pad}${items(deeper).join(`,${pad}`)}${dialect.end}\n${" ".repeat(indent)}${close}`;
}

/** A value as TypeScript. */
export const typescript = (value: unknown): string => write(value, TYPESCRIPT, 0);

/** A value as Python. */
export const python = (value: unknown): string => write(value, PYTHON, 0);

/** A value as JSON that is one word of a POSIX shell; a `Name` in it is a variable, whose value becomes a string of the JSON. */
export const shellJson = (value: unknown): string => `'${write(value, SHELL_JSON, 0)}'`;

/** A string as one word of a POSIX shell, which takes nothing in it for anything else. It can have no NUL: no argument can. */
export const shellWord = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A file name as a shell word, with `./` before a name that looks like an option. */
export const shellPath = (name: string): string => shellWord(name.startsWith("-") ? `./${name}` : name);
