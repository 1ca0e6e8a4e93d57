import { execFile, execFileSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { claimPort } from "../../../scripts/shared/port.ts";
import { waitForOk } from "../../../scripts/shared/wait-for.ts";

/** The CPU's image with its model: docs/operations/deploy.md#inference-in-cloudflare-containers. */
const IMAGE = process.env["INFERENCE_IMAGE"] ?? "localhost/segmentation-inference:baked";
const SCRATCH = "/scratch";
const START_MS = 300_000;

const podman = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)("podman", args)).stdout;

/** Returns true if this machine has podman and the image. */
export function hasImage(): boolean {
  try {
    execFileSync("podman", ["image", "exists", IMAGE], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A read-only container of the image, which may write only to its scratch volume. */
export class PodmanMachine implements AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly #name = `segmentation-test-${randomUUID()}`;

  private constructor(port: number, token: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.token = token;
  }

  /** Starts a container for the Worker and storage at an origin, and waits for its model. */
  static async start(origin: string): Promise<PodmanMachine> {
    const port = await claimPort(0);
    const machine = new PodmanMachine(port, randomBytes(24).toString("hex"));
    const settings = {
      HOST: "127.0.0.1",
      PORT: port,
      INFERENCE_TOKEN: machine.token,
      STORAGE_ORIGINS: origin,
      CALLBACK_ORIGINS: origin,
    };
    await podman(
      "--runtime=runc",
      "run",
      "--detach",
      `--name=${machine.#name}`,
      "--network=host",
      "--read-only",
      "--cap-drop=ALL",
      "--security-opt=no-new-privileges",
      // Podman's own limits may exceed the machine's.
      "--ulimit=nofile=1024:4096",
      "--ulimit=nproc=1024:1024",
      `--volume=${machine.#name}:${SCRATCH}:U`,
      ...Object.entries(settings).map(([name, value]) => `--env=${name}=${value}`),
      IMAGE,
    );
    await machine.#ready();
    return machine;
  }

  /** Ends all processes of the container at once. */
  async kill(): Promise<void> {
    await podman("kill", "--signal=KILL", this.#name);
    await podman("wait", this.#name);
  }

  /** Starts the container again, and waits for its model. */
  async restart(): Promise<void> {
    await podman("--runtime=runc", "start", this.#name);
    await this.#ready();
  }

  /** Returns the relative paths of the files that the service has written, without Node's cache of compiled code. */
  async written(): Promise<string[]> {
    const folder = (await podman("volume", "inspect", "--format={{.Mountpoint}}", this.#name)).trim();
    const paths = await readdir(folder, { recursive: true });
    return paths.filter((path) => !path.startsWith("node-compile-cache"));
  }

  /** Removes the container and what it has written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await podman("rm", "--force", "--volumes", this.#name);
    await podman("volume", "rm", "--force", this.#name);
  }

  async #ready(): Promise<void> {
    if (!(await waitForOk(`${this.url}/readyz`, START_MS, new AbortController().signal)))
      throw new Error(`The container is not ready. See: podman logs ${this.#name}`);
  }
}
