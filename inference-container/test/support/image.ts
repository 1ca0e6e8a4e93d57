import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

/** One `COPY` of the build context: from where to where, relative to the context and to the work folder. */
interface Copy {
  readonly sources: readonly string[];
  readonly target: string;
}

/** A stage of a Dockerfile, as far as it decides the image's content. */
export interface Stage {
  readonly copies: readonly Copy[];
  /** The earlier stages from which it copies. */
  readonly copiesFrom: readonly string[];
  readonly runs: readonly string[];
  readonly entryPoint: readonly string[];
  /** Its `CMD`, and the `CMD` of its health check. */
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Reads a Dockerfile's stages. @throws if a command is not in the JSON form */
export function readStages(path: string): Stage[] {
  const lines = readFileSync(path, "utf8")
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  const stages = lines
    .join("\n")
    .split(/^FROM .*$/m)
    .slice(1);
  return stages.map((text) => {
    const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? "");
    const command = (pattern: RegExp): string[] =>
      all(pattern).flatMap((json) => {
        const words: unknown = JSON.parse(json);
        if (!Array.isArray(words)) throw new Error(`${json} is not a list`);
        return words.map(String);
      });
    const copies = all(/^COPY (?!--from)(.*)$/gm).map((words) => {
      const [target = "", ...sources] = words.split(" ").toReversed();
      return { sources: sources.toReversed(), target };
    });
    return {
      copies,
      copiesFrom: all(/^COPY (--from.*)$/gm),
      runs: all(/^RUN (.*)$/gm),
      entryPoint: command(/^ENTRYPOINT (.*)$/gm),
      command: command(/^CMD (.*)$/gm),
      healthCheck: command(/^HEALTHCHECK .*CMD (.*)$/gm),
    };
  });
}

/**
 * The files under a source of the build context that `.dockerignore` lets in, relative to the root.
 * @param ignored the lines of `.dockerignore`: the last that matches a path, or a folder above it, decides
 */
export function contextFiles(source: string, ignored: readonly string[]): string[] {
  const isIn = (path: string): boolean => {
    const parts = path.split("/");
    const above = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
    const last = ignored.findLast((line) => above.some((one) => matchesGlob(one, line.replace(/^!/, ""))));
    return last === undefined || last.startsWith("!");
  };
  const walk = (path: string): string[] =>
    statSync(join(PROJECT_ROOT, path)).isDirectory()
      ? readdirSync(join(PROJECT_ROOT, path)).flatMap((name) =>
          name === "node_modules" ? [] : walk(`${path}/${name}`),
        )
      : [path];
  return walk(source).filter(isIn);
}

/** The lines of `.dockerignore`, without comments and empty lines. */
export const readIgnored = (): string[] =>
  readFileSync(join(PROJECT_ROOT, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
