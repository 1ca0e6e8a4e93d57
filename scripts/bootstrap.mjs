/**
 * Makes a clone ready to run: installs the packages of the lock file, and finds a Node that runs TypeScript. Plain JavaScript for
 * Node 20 without dependencies, because it runs before they are installed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { prefetchModel } from "./prefetch.mjs";

/** The first release that all packages install on: npm leaves out, without a word, the optional ones that refuse an older Node. */
const OLDEST_HOST = [20, 19];
/** The first release that runs TypeScript files without a flag and has every API used here. */
const OLDEST_RUNTIME = [22, 18];
const LOCK_PATIENCE_MS = 10 * 60_000;

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const nodeLink = join(modules, ".bin", "node");
const installLock = join(root, ".local", "install.lock");

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

function isAtLeast(version, [major, minor]) {
  const [haveMajor = 0, haveMinor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return haveMajor > major || (haveMajor === major && haveMinor >= minor);
}

const packagesOf = (lock) => JSON.parse(readFileSync(lock, "utf8")).packages;

/** Returns true if npm installs a package here. An optional package without a platform belongs to one with a platform. */
function isWanted({ dev, devOptional, optional, os, cpu, libc }, withTools) {
  if ((dev || devOptional) && !withTools) return false;
  if (!optional && !devOptional) return true;
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  return (
    os?.includes(process.platform) === true &&
    cpu?.includes(process.arch) === true &&
    (libc === undefined || libc.includes(isGlibc ? "glibc" : "musl"))
  );
}

/** Compares the packages that the lock names with those that npm, by its own list, has completely installed and that still exist. */
function isInstalled(withTools) {
  const list = join(modules, ".package-lock.json");
  if (!existsSync(list)) return false;
  const there = packagesOf(list);
  return Object.entries(packagesOf(join(root, "package-lock.json"))).every(
    ([path, wanted]) =>
      !path.startsWith("node_modules/") ||
      !isWanted(wanted, withTools) ||
      (there[path]?.version === wanted.version &&
        there[path]?.integrity === wanted.integrity &&
        existsSync(join(root, path))),
  );
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

const releaseInstallLock = () => rmSync(installLock, { force: true });

/** Takes the install lock. Waits while another process of this clone installs, and takes over the lock of a dead process. */
async function takeInstallLock() {
  try {
    mkdirSync(dirname(installLock), { recursive: true });
    accessSync(root, constants.W_OK);
  } catch (error) {
    fail(`The project's folder ${root} can't be written (${error.code}). Clone it into a folder of yours.`);
  }
  for (const giveUpAt = Date.now() + LOCK_PATIENCE_MS; ; await sleep(200)) {
    try {
      writeFileSync(installLock, String(process.pid), { flag: "wx" });
      process.on("exit", releaseInstallLock);
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = existsSync(installLock) ? Number(readFileSync(installLock, "utf8")) : process.pid;
    if (holder > 0 && !isAlive(holder)) {
      rmSync(installLock, { force: true });
    } else if (Date.now() > giveUpAt) {
      fail(`Another installation (process ${holder}) holds ${installLock}. End it or remove that file.`);
    }
  }
}

/** Installs the packages, or waits while another process of this clone does. */
async function install(withTools, withModel) {
  await takeInstallLock();
  if (!isInstalled(withTools)) await installPackages(withTools, withModel);
  releaseInstallLock();
  process.off("exit", releaseInstallLock);
}

/** Adds the tools to packages that are there, because a service may be running from them; everything else starts over. */
async function installPackages(withTools, withModel) {
  const how = withTools ? (isInstalled(false) ? ["install", "--no-save"] : ["ci"]) : ["ci", "--omit=dev"];
  console.error(`Installing packages (npm ${how.join(" ")})…`);
  const npm = spawn("npm", [...how, "--no-fund", "--no-audit", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  const isOver = new AbortController();
  const model = withModel ? prefetchModel(isOver.signal) : undefined;
  // npm would spend half a minute undoing its work; without npm's own list, the next run starts over anyway.
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
    npm.kill("SIGKILL");
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, interrupt);
  const [status] = await once(npm, "close").catch((error) =>
    fail(`npm could not be started: ${error.message}`),
  );
  for (const signal of signals) process.off(signal, interrupt);
  isOver.abort();
  await model;
  if (interrupted) process.exit(130);
  if (status !== 0)
    fail(
      "npm could not install the packages; its message is above. Check the network, the proxy (npm config get proxy), the " +
        "registry (npm config get registry) and the free disk space. Then run the command again.",
    );
}

/**
 * Links the packaged Node into node_modules/.bin, which comes first on a command's PATH; npm before 11.10 drops the link.
 * Returns the path of the Node to run: the current one if the platform has no packaged Node.
 */
function linkRuntime() {
  const binary = join(modules, `node-${process.platform}-${process.arch}`, "bin", "node");
  if (!existsSync(binary)) {
    if (isAtLeast(process.version, OLDEST_RUNTIME)) return process.execPath;
    fail(
      `This platform (${process.platform} ${process.arch}) has no packaged Node, and ${process.version} is too old ` +
        `to run the project. Install Node ${OLDEST_RUNTIME.join(".")} or newer.`,
    );
  }
  const target = relative(dirname(nodeLink), binary);
  try {
    if (readlinkSync(nodeLink) === target) return nodeLink;
  } catch {
    // The link is missing, or another file has its place; it is replaced below.
  }
  mkdirSync(dirname(nodeLink), { recursive: true });
  const fresh = `${nodeLink}.${process.pid}`;
  symlinkSync(target, fresh);
  renameSync(fresh, nodeLink);
  return nodeLink;
}

/**
 * Installs the packages that are missing, and returns the path of the Node to run.
 * If that is impossible, ends the process with a message.
 * @param withTools whether the command also needs the packages that only tests and development need
 * @param withModel whether the command runs the embedded model
 */
export async function makeReady({ withTools, withModel }) {
  if (!isAtLeast(process.version, OLDEST_HOST))
    fail(`Node ${OLDEST_HOST.join(".")} or newer is needed; this is ${process.version}.`);
  if (!isInstalled(withTools)) await install(withTools, withModel);
  return linkRuntime();
}
