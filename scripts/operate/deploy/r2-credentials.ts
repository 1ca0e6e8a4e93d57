import { createHash } from "node:crypto";
import { z } from "zod";
import { Failure } from "../../shared/command-line.ts";
import type { Configuration } from "../../shared/cloudflare/configuration.ts";

const API = "https://api.cloudflare.com/client/v4/accounts";
/** Cloudflare's name for reading, writing and listing the objects of named buckets. */
const PERMISSION = "Workers R2 Storage Bucket Item Write";
const PATIENCE_MS = 30_000;
const MOST_TOKENS = 50;

const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).default([]),
  result: z.unknown(),
});
const Named = z.array(z.object({ id: z.string(), name: z.string() }));
const NewToken = z.object({ id: z.string(), value: z.string() });

/** Asks Cloudflare's API. @throws Failure with Cloudflare's sentence */
async function ask(
  account: string,
  path: string,
  token: string,
  method = "GET",
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${API}/${account}/tokens${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { data: answer } = Envelope.safeParse(await response.json().catch(() => null));
  if (answer?.success === true) return answer.result;
  const said = answer?.errors.map(({ message }) => message).join("; ") ?? "";
  const why = said === "" ? `status ${response.status}` : said;
  throw new Failure(
    `CLOUDFLARE_API_TOKEN may not create tokens (${why}). Give it the permission Account API Tokens: Edit, or create the credentials in the dashboard`,
  );
}

/** The bucket of signed URLs. */
const mediaOf = ({ r2_buckets: buckets }: Configuration) =>
  buckets.find(({ binding }) => binding === "MEDIA");

/** Instructions for creating the bucket's credentials in the dashboard. */
export const credentialsToClick = (configuration: Configuration): string =>
  `open https://dash.cloudflare.com/?to=/:account/r2/api-tokens, click Create Account API token, choose Object Read & Write, apply it to the bucket ${mediaOf(configuration)?.bucket_name ?? ""} only, create it, and copy Access Key ID (S3_ACCESS_KEY_ID) and Secret Access Key (S3_SECRET_ACCESS_KEY)`;

/**
 * Makes S3 credentials for the bucket alone: a token of the account, whose id and hashed value R2 takes. One of that name, which an
 * interrupted run left, gets a new value.
 * @throws Failure if the API token may not
 */
export async function makeCredentials(
  configuration: Configuration,
  account: string,
  token: string,
): Promise<Record<"S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY", string>> {
  const { bucket_name: bucket = "", jurisdiction = "default" } = mediaOf(configuration) ?? {};
  const name = `${configuration.name}: ${bucket}`;
  const known = Named.parse(await ask(account, `?per_page=${MOST_TOKENS}`, token)).find(
    (each) => each.name === name,
  );
  const { id, value } =
    known === undefined
      ? NewToken.parse(
          await ask(account, "", token, "POST", {
            name,
            policies: [await policyOf(account, jurisdiction, bucket, token)],
          }),
        )
      : { id: known.id, value: z.string().parse(await ask(account, `/${known.id}/value`, token, "PUT", {})) };
  return { S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: createHash("sha256").update(value).digest("hex") };
}

async function policyOf(account: string, jurisdiction: string, bucket: string, token: string) {
  const groups = Named.parse(await ask(account, "/permission_groups", token));
  const group = groups.find((each) => each.name === PERMISSION);
  if (group === undefined) throw new Failure(`Cloudflare has no permission "${PERMISSION}" any more`);
  return {
    effect: "allow",
    permission_groups: [{ id: group.id }],
    resources: { [`com.cloudflare.edge.r2.bucket.${account}_${jurisdiction}_${bucket}`]: "*" },
  };
}
