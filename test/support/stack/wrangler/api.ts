import { z } from "zod";
import type { FakeAccount } from "./account.ts";

export const API = "https://api.cloudflare.com/client/v4/";

const NewToken = z.object({ name: z.string(), policies: z.array(z.unknown()) });

const answers = (result: unknown): Response => Response.json({ success: true, errors: [], result });
const refuses = (message: string, status: number): Response =>
  Response.json({ success: false, errors: [{ code: 9109, message }], result: null }, { status });

/** Answers a request to Cloudflare's API for the tokens of this account, which it may change. */
export async function answerOfApi({ tokens }: FakeAccount, request: Request): Promise<Response> {
  if (tokens === null) return refuses("Unauthorized to access requested resource", 403);
  const [, id, verb] = new URL(request.url).pathname.split("/accounts/")[1]?.split("/").slice(1) ?? [];
  if (id === "permission_groups") {
    const names = ["Workers R2 Storage Bucket Item Read", "Workers R2 Storage Bucket Item Write"];
    return answers(names.map((name) => ({ id: `id of ${name}`, name })));
  }
  if (request.method === "GET") return answers(tokens.map((token) => ({ ...token, value: undefined })));
  if (verb === "value") {
    const known = tokens.find((token) => token.id === id);
    if (known === undefined) return refuses("Token not found", 404);
    known.value += " again";
    return answers(known.value);
  }
  const made = { ...NewToken.parse(await request.json()), id: `token-${tokens.length}`, value: "a value" };
  tokens.push(made);
  return answers(made);
}
