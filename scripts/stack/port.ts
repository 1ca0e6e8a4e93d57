import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { codeOf } from "../shared/error-parts.ts";
import { Failure, usageError } from "../shared/command-line.ts";

const HOST = "127.0.0.1";

/** A port from text: 0 to 65535, 0 for any free one. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw usageError(`PORT must be a number from 0 to 65535 (0: any free port), not "${text}".`);
  }
  return Number(text);
}

/**
 * Where free ports are looked for: below those that systems hand out by themselves (from 32768 on Linux, from 49152
 * elsewhere). One of those may be in use again by the time the Worker, some seconds later, listens on it.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const TRIES = 20;

/** The port if it is free, any free port for 0. Fails with a sentence if something already listens there. */
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
      throw new Failure(`Port ${port} needs more rights than this user has. Choose a port from 1024 on.`);
    }
    throw error;
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  }
}
