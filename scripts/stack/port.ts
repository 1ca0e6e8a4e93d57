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

/** The port if it is free, any free one for 0; fails with a sentence when something listens there. */
export async function claimPort(port: number): Promise<number> {
  const server = createServer();
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: HOST, port, exclusive: true }, () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : port);
      });
    });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRINUSE") {
      throw new Failure(
        `Port ${port} is in use. Stop what listens there, or choose another: PORT=8790 npm start`,
      );
    }
    if (code === "EACCES") throw new Failure(`Port ${port} needs more rights. Choose one from 1024 on.`);
    throw error;
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  }
}
