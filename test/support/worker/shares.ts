import { CreatedShare } from "../../../src/shares/contract/share.ts";
import { type Answer, type Client, send } from "./api.ts";

/** Shares a job; its answer, of which the link's token is kept. */
export async function shareJob(client: Client, jobId: string, body: object = {}): Promise<CreatedShare> {
  const { status, body: made } = await client.send("POST", `/v1/jobs/${jobId}/share`, body);
  if (status !== 201) throw new Error(`createShare answered ${status} ${JSON.stringify(made)}`);
  return CreatedShare.parse(made);
}

/** Asks as somebody does who has a link's token and nothing else. */
export const visit = (
  token: string,
  path: string,
  method = "GET",
  { headers = {}, body = null }: { headers?: Record<string, string>; body?: string | null } = {},
): Promise<Answer> => send(method, path, { body, headers: { authorization: `Bearer ${token}`, ...headers } });
