import { send, type Answer } from "./api.ts";

export const TOKEN = "an-operator-token-for-the-tests-alone";

/** Sends a request to the operator's API. */
export const operate = (method: string, path: string, body?: unknown, token = TOKEN): Promise<Answer> =>
  send(method, `/internal/operator${path}`, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
