/**
 * Makes a clone ready to run: installs the packages of the lock file, and finds a Node that runs TypeScript. Plain JavaScript for
 * Node 20 without dependencies, because it runs before they are installed.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
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

const OLDEST_HOST = [20, 0];
/** The first release that runs TypeScript files without a flag and has every API used here. */
const OLDEST_RUNTIME = [22, 18];
const LOCK_PATIENCE_MS = 10 * 60_000;

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stamp = join(modules, ".installed-lock-hash");
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

function lockHash() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(lock).update(`${process.platform}-${process.arch}`).digest("hex");
}

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash();
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
  mkdirSync(dirname(installLock), { recursive: true });
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
async function install() {
  await takeInstallLock();
  if (!isInstalled()) await installPackages();
  releaseInstallLock();
  process.off("exit", releaseInstallLock);
}

async function installPackages() {
  console.error("Installing packages (npm ci)…");
  const npm = spawn("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  // npm would spend half a minute undoing its work; without the stamp, the next run starts over anyway.
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
  if (interrupted) process.exit(130);
  if (status !== 0) fail("npm ci failed; see its message above. Nothing else was started.");
  writeFileSync(stamp, lockHash());
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
 * Installs the packages if the lock has changed, and returns the path of the Node to run.
 * If that is impossible, ends the process with a message.
 */
export async function makeReady() {
  if (!isAtLeast(process.version, OLDEST_HOST)) {
    fail(`Node ${OLDEST_HOST[0]} or newer is needed; this is ${process.version}.`);
  }
  if (!isInstalled()) await install();
  return linkRuntime();
}
