import type { Command } from "../command/command.ts";
import { parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

type Commands = Readonly<Record<string, Command>>;

const HELP = `Prints what lets a shell complete commands, options and files.

  bash   echo 'source <(segmentation-client completion bash)' >> ~/.bashrc
  zsh    segmentation-client completion zsh > ~/.zfunc/_segmentation-client
         (with \`fpath+=~/.zfunc\` before \`compinit\` in ~/.zshrc)
  fish   segmentation-client completion fish \\
           > ~/.config/fish/completions/segmentation-client.fish`;

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The command that prints completions of the given commands, and of itself. */
export const completionOf = (commands: () => Commands): Command => ({
  summary: "let bash, zsh or fish complete what you type",
  help: HELP,
  options: {},
  words: Object.keys(SHELLS),
  run: async (args: readonly string[], terminal: Terminal): Promise<number> => {
    const { positionals } = parse("completion", args, {});
    const [shell = "", ...rest] = positionals;
    if (rest.length > 0 || !(shell === "bash" || shell === "zsh" || shell === "fish"))
      throw usageFailure("Name your shell: segmentation-client completion bash, zsh or fish");
    terminal.print(SHELLS[shell](commands()));
    return await Promise.resolve(0);
  },
});
