import { z } from "zod";
import { isLoopback } from "../../../src/shared/public-url.ts";
import { readConfiguration } from "../cloudflare/configuration.ts";
import { readOperatorEnv } from "../cloudflare/operator-file.ts";
import { Failure } from "../command-line.ts";
import { messageOf } from "../error-parts.ts";
import { readIfPresent } from "../state/private-file.ts";
import { loadSecrets } from "../state/secrets.ts";
import { readSettings } from "../state/settings.ts";
import { StackAddress, type StateFolder } from "../state/state-folder.ts";

/** The operator's API of a Worker, for actions that need the jobs' objects and the bucket. */
export interface OperatorApi {
  /** Calls `/internal/operator` + path and returns the answer's JSON. @throws Failure with the Worker's sentence; NoWorker if none answers */
  readonly call: (method: "GET" | "POST", path: string, body?: unknown) => Promise<unknown>;
}

/** The failure without a running Worker. */
export class NoWorker extends Failure {}

const ErrorAnswer = z.object({ message: z.string() });

async function answerOf(response: Response, baseUrl: string): Promise<unknown> {
  const text = await response.text();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Failure(
      `${baseUrl} answers ${response.status}, but not like the Worker. Is it deployed there?`,
    );
  }
  if (response.ok) return answer;
  if (response.status === 401) {
    throw new Failure("The Worker refuses OPERATOR_TOKEN. Set it to the value of the Worker's secret.");
  }
  throw new Failure(ErrorAnswer.safeParse(answer).data?.message ?? `${baseUrl} answers ${response.status}.`);
}

/** The API at an address. */
export function operatorApiAt(baseUrl: string, token: string, signal?: AbortSignal): OperatorApi {
  return {
    call: async (method, path, body) => {
      const response = await fetch(`${baseUrl}/internal/operator${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      }).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw new NoWorker(`${baseUrl} does not answer: ${messageOf(error)}. Is the Worker running?`);
      });
      return answerOf(response, baseUrl);
    },
  };
}

/** Opens the API of the local stack in a state folder. @throws NoWorker if none was started there, or it is not up */
export async function openLocalOperatorApi(state: StateFolder, signal?: AbortSignal): Promise<OperatorApi> {
  const ready = await readIfPresent(state.ready);
  if (ready === null) {
    throw new NoWorker(
      `This command needs the Worker. Start the stack of ${state.path} with npm start, or wait until it is ready.`,
    );
  }
  const { baseUrl } = StackAddress.parse(JSON.parse(ready));
  const token = (await readSettings())["OPERATOR_TOKEN"] ?? (await loadSecrets(state)).OPERATOR_TOKEN;
  return operatorApiAt(baseUrl, token, signal);
}

/**
 * Opens the API of the deployed Worker, at PUBLIC_URL of its configuration.
 * @throws NoWorker if OPERATOR_TOKEN is not set, or PUBLIC_URL is this machine, where another program could receive the token
 */
export async function openRemoteOperatorApi(configFile: string, signal: AbortSignal): Promise<OperatorApi> {
  const { vars, base, file } = await readConfiguration(configFile);
  const token = process.env["OPERATOR_TOKEN"] ?? (await readOperatorEnv(base)).get("OPERATOR_TOKEN") ?? "";
  if (token === "") {
    throw new NoWorker(
      "OPERATOR_TOKEN is not set. Set it in the environment to the value of the Worker's secret of that name.",
    );
  }
  const url = String(vars["PUBLIC_URL"]).replace(/\/+$/, "");
  if (isLoopback(url)) {
    throw new NoWorker(
      `PUBLIC_URL in ${file} is an address of this machine. Set it to the Worker's, or name the file that has it with --config.`,
    );
  }
  return operatorApiAt(url, token, signal);
}
