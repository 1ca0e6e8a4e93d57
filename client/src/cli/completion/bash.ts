import type { Command } from "../command/command.ts";
import { wordsOf } from "./words-of.ts";

/** Words as `compgen` takes them while only the end of a line parts them, so that files may have spaces in their names. */
const compgenOf = (words: readonly string[]): string => `compgen -W $'${words.join("\\n")}'`;

/** Answers with what a command prints for the word that is typed. */
const reply = (how: string): string => `COMPREPLY=($(${how} -- "$word"))`;

/** A script that bash sources: a function that knows the commands, their words, their options and these options' values. */
export function bashScript(commands: Readonly<Record<string, Command>>): string {
  const all = wordsOf(commands);
  const cases = all.map(({ name, words, options, takesFiles }) => {
    const namesOf = ({ name: long, short }: (typeof options)[number]): string[] => [
      `--${long}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ];
    const values = options
      .filter(({ takesValue }) => takesValue)
      .map((option) => {
        const how = option.isPath ? "compgen -d" : compgenOf(option.values);
        return `        ${namesOf(option).join("|")}) ${reply(how)}; return ;;`;
      });
    return `    ${name})
      case "$before" in
${values.join("\n")}
      esac
      if [[ "$word" == -* ]]; then ${reply(compgenOf(options.flatMap(namesOf)))}
      else ${reply(takesFiles ? "compgen -f" : compgenOf(words))}; fi ;;`;
  });
  return `_segmentation_client() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    ${reply(compgenOf(all.map(({ name }) => name)))}
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
}
complete -o filenames -F _segmentation_client segmentation-client`;
}
