import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOnPath } from "../process/on-path.ts";
import { readStrictly } from "./strict-zip.ts";

/** A reader that reads a whole archive and checks it. */
interface ArchiveReader {
  readonly name: string;
  /** The program that it runs; null for the tests' own reader. */
  readonly program: string | null;
  /** The files' sizes in the archive's order. @throws Error if the archive is damaged */
  readonly sizes: (path: string) => number[];
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });

const numbers = (text: string): number[] => text.trim().split(/\s+/).filter(Boolean).map(Number);

const PYTHON = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(*[len(archive.read(name)) for name in archive.namelist()])`;

const READERS: readonly ArchiveReader[] = [
  {
    name: "the tests' strict reader",
    program: null,
    sizes: (path) => [...readStrictly(readFileSync(path)).values()].map((file) => file.length),
  },
  {
    name: "unzip",
    program: "unzip",
    sizes: (path) => {
      run("unzip", "-tqq", path);
      const rows = run("unzip", "-lqq", path).trimEnd().split("\n");
      return rows.map((row) => Number(/^ *(\d+) /.exec(row)?.[1]));
    },
  },
  {
    name: "Python's zipfile",
    program: "python3",
    sizes: (path) => numbers(run("python3", "-c", PYTHON, path)),
  },
  {
    name: "Java's ZipInputStream, which goes through it from its start",
    program: "java",
    sizes: (path) => numbers(run("java", join(import.meta.dirname, "ReadZip.java"), path)),
  },
];

const isHere = ({ program }: ArchiveReader): boolean => program === null || isOnPath(program);

/** The readers that this machine has: always the strict one, and each program that is on the PATH. */
export const archiveReaders = (): readonly ArchiveReader[] => READERS.filter(isHere);

/** Returns one line that names the readers that this machine has and lacks. */
export function archiveReadersLine(): string {
  const names = (readers: readonly ArchiveReader[]): string =>
    readers.map(({ program }) => program ?? "strict").join(", ");
  const missing = READERS.filter((reader) => !isHere(reader));
  return `Archive readers: ${names(archiveReaders())}${missing.length === 0 ? "" : `; not on this machine: ${names(missing)}`}`;
}
