import { Failure } from "../shared/command-line.ts";

/**
 * One line of an env file as Wrangler reads it (dotenv with dotenv-expand): quoted, to keep `#`, spaces and newlines,
 * and with `\$`, to prevent expansion.
 */
function line(name: string, value: string): string {
  const quote = ["'", "`"].find((candidate) => !value.includes(candidate));
  if (quote === undefined)
    throw new Failure(
      `${name} contains both ' and \`, which an env file cannot express. Remove one of them.`,
    );
  return `${name}=${quote}${value.replaceAll("$", "\\$")}${quote}\n`;
}

/** The text of an env file that passes exactly these values to a Worker. */
export function formatEnvFile(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => line(name, value))
    .join("");
}
