import type { Command } from "../command/command.ts";
import { wordsOf } from "./words-of.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A function for zsh's completion system: a file of its own in \`fpath\`. */
export function zshScript(commands: Readonly<Record<string, Command>>): string {
  const all = wordsOf(commands);
  const cases = all.map(({ name, words, options, takesFiles }) => {
    const specs = options.map((option) => {
      const what = option.isPath
        ? "_files -/"
        : option.values.length > 0
          ? `(${option.values.join(" ")})`
          : " ";
      const value = option.takesValue ? `:${option.name}:${what}` : "";
      const names = option.short ? `{-${option.short},--${option.name}}` : `--${option.name}`;
      return `${option.short ? `'*'${names}` : `'*'${names}`}${value === "" ? "" : quoted(value)}`;
    });
    const rest = takesFiles ? "'*:file:_files'" : quoted(`1:word:(${words.join(" ")})`);
    return `    ${name}) _arguments ${[...specs, rest].join(" ")} ;;`;
  });
  return `#compdef segmentation-client
_segmentation_client() {
  if (( CURRENT == 2 )); then
    local -a commands=(${all.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(" ")})
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _segmentation-client ]]; then _segmentation_client "$@"
else compdef _segmentation_client segmentation-client; fi`;
}
