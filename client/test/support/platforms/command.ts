import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { npmPackage } from "../../../../test/support/clients/peers/install.ts";
import type { Platform } from "./platform.ts";

/** Runs the walk with the options of its standard input, and prints the report. */
export const COMMAND = `import process from "node:process";
import { text } from "node:stream/consumers";
console.log(JSON.stringify(await walk(JSON.parse(await text(process.stdin)))));`;

/** A platform that is a program; `args` come before the file's name. */
export const byCommand =
  (program: string | null, file: string, ...args: string[]): Platform =>
  async (options) => {
    if (program === null) return null;
    const child = spawn(program, [...args, file], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(JSON.stringify(options));
    return JSON.parse(await text(child.stdout));
  };

/** A platform that is a program in a package of npm, for Linux on x64; installs the package at its first use. */
export const byPackage =
  (versioned: string, program: string, file: string, ...args: string[]): Platform =>
  async (options) => {
    if (process.platform !== "linux" || process.arch !== "x64") return null;
    return await byCommand(join(await npmPackage(versioned), program), file, ...args)(options);
  };

/** The Node on the machine's PATH, of any version, in addition to the project's own; null if there is none. */
export function machinesNode(): string | null {
  const folders = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  return folders.map((folder) => join(folder, "node")).find((path) => existsSync(path)) ?? null;
}
