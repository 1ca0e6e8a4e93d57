import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Failure, systemCode } from "../failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Access to the user's buckets, in any service with S3's interface. */
export interface BucketAccess {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
  /** Undefined for AWS. */
  readonly endpoint?: string | undefined;
}

/**
 * The user's own access, found as AWS's tools do: in environment variables, then in the files of profiles. R2, GCS and
 * MinIO take an endpoint's URL.
 * @throws Failure that says what to set
 */
export async function bucketAccess(env: Environment, endpointUrl: string | undefined): Promise<BucketAccess> {
  const folder = join(env["HOME"] ?? homedir(), ".aws");
  const name = env["AWS_PROFILE"] || "default";
  const [config, credentials] = await Promise.all([
    readProfiles(env["AWS_CONFIG_FILE"] || join(folder, "config")),
    readProfiles(env["AWS_SHARED_CREDENTIALS_FILE"] || join(folder, "credentials")),
  ]);
  const profile = { ...(config.get(`profile ${name}`) ?? config.get(name)), ...credentials.get(name) };
  const ofEnvironment = {
    accessKeyId: env["AWS_ACCESS_KEY_ID"],
    secretAccessKey: env["AWS_SECRET_ACCESS_KEY"],
    sessionToken: env["AWS_SESSION_TOKEN"] || undefined,
  };
  const ofProfile = {
    accessKeyId: profile["aws_access_key_id"],
    secretAccessKey: profile["aws_secret_access_key"],
    sessionToken: profile["aws_session_token"],
  };
  const { accessKeyId, secretAccessKey, sessionToken } = ofEnvironment.accessKeyId
    ? ofEnvironment
    : ofProfile;
  if (!accessKeyId || !secretAccessKey)
    throw new Failure(
      `There are no keys for s3:// in the environment or in the profile "${name}". Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; ` +
        'if you sign in by SSO or a role: run eval "$(aws configure export-credentials --format env)"',
    );
  const endpoint =
    endpointUrl ??
    (env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || profile["endpoint_url"] || undefined);
  if (endpoint !== undefined && !(/^https?:/.test(endpoint) && URL.canParse(endpoint)))
    throw new Failure(
      `${endpoint} is not the URL of an endpoint. One looks like https://account.r2.cloudflarestorage.com`,
    );
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || profile["region"];
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken,
    endpoint,
    region: region || (endpoint ? "auto" : "us-east-1"),
  };
}

/** The sections of a file of profiles: the settings of each by name; none if there is no such file. */
async function readProfiles(path: string): Promise<Map<string, Record<string, string>>> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  });
  const profiles = new Map<string, Record<string, string>>();
  let section: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, heading] = /^\[\s*(.*?)\s*\]/.exec(line) ?? [];
    // Indented lines belong to a setting of one service.
    const [, name, value] = /^([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (heading !== undefined) profiles.set(heading, (section = {}));
    else if (name !== undefined && value !== undefined) section[name] = value;
  }
  return profiles;
}
