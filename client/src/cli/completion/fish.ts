import type { Command } from "../command/command.ts";
import { type Completed, wordsOf } from "./words-of.ts";

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Lines for fish, which completes files where nothing says that it should not. */
export function fishScript(commands: Readonly<Record<string, Command>>): string {
  const lines = ["complete -c segmentation-client -f"];
  const complete = (line: string): void => void lines.push(`complete -c segmentation-client ${line}`);
  for (const { name, summary, words, options, takesFiles } of wordsOf(commands)) {
    complete(`-n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`);
    const when = `-n '__fish_seen_subcommand_from ${name}'`;
    if (takesFiles) complete(`${when} -F`);
    if (words.length > 0) complete(`${when} -f -a ${quoted(words.join(" "))}`);
    for (const option of options)
      complete(`${when} -l ${option.name}${option.short ? ` -s ${option.short}` : ""}${valueOf(option)}`);
  }
  return lines.join("\n");
}

function valueOf({ takesValue, isPath, values }: Completed["options"][number]): string {
  if (!takesValue) return "";
  if (isPath) return " -r -a '(__fish_complete_directories)'";
  return values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : " -x";
}
