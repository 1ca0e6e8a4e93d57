/** Whether an argument is a pattern, if there is no file of that name. */
export const isPattern = (argument: string): boolean => /[*?]/.test(argument);

/** A pattern's folder, which has no wildcard, and the expression that paths below it have to match. */
export interface Pattern {
  readonly folder: string;
  readonly matches: (path: string) => boolean;
  /** Whether it looks into folders below. */
  readonly isDeep: boolean;
}

/** Reads a pattern: `*` and `?` stand for characters of a name, `**` for any folders. Separators are slashes. */
export function parsePattern(pattern: string): Pattern {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => isPattern(part));
  const folder = first === 0 ? "." : parts.slice(0, first).join("/") || "/";
  const rest = parts.slice(first);
  const expression = rest
    .map((part, i) => {
      const isLast = i === rest.length - 1;
      if (part === "**") return isLast ? ".*" : "(?:[^/]+/)*";
      const name = part
        .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
        .replaceAll("*", "[^/]*")
        .replaceAll("?", "[^/]");
      return isLast ? name : `${name}/`;
    })
    .join("");
  const whole = new RegExp(`^${expression}$`);
  return { folder, matches: (path) => whole.test(path), isDeep: rest.length > 1 };
}
