import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { codeOf } from "./error-parts.ts";
import { Failure, usageError } from "./command-line.ts";

const HOST = "127.0.0.1";

/** Parses a port: 0 to 65535, 0 for any free one. @throws Failure, a usage error */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw usageError(`PORT must be a number from 0 to 65535 (0: any free port), not "${text}".`);
  }
  return Number(text);
}

/**
 * Free ports are chosen below the range that systems assign by themselves (from 32768 on Linux, from 49152 elsewhere): a port of
 * that range could be in use again by the time the Worker listens on it, some seconds later.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const TRIES = 20;

/** Returns the port if it is free, or any free one for 0. @throws Failure if the port is in use or not allowed */
export async function claimPort(port: number): Promise<number> {
  if (port !== 0) return tryPort(port);
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryPort(FIRST_PORT + randomInt(PORTS));
    } catch (error) {
      if (!(error instanceof Failure) || tries === TRIES) throw error;
    }
  }
}

async function tryPort(port: number): Promise<number> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: HOST, port, exclusive: true }, () => resolve());
    });
    return port;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRINUSE") {
      throw new Failure(
        `Port ${port} is in use. Stop the program that listens there, or choose another port: PORT=8790 npm start`,
      );
    }
    if (code === "EACCES") {
      throw new Failure(`Port ${port} needs more privileges than this user has. Choose a port from 1024 up.`);
    }
    throw error;
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  }
}
