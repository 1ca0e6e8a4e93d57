import { type Cloudflare, read } from "./cloudflare.ts";
import type { Configuration } from "./configuration.ts";
import type { Finding } from "./finding.ts";
import { Deployment, Version } from "./wrangler-answers.ts";

/** What an account has to have if the configuration has a dataset. */
export const ANALYTICS_ENGINE = "Analytics Engine";

/** Whether a version that runs writes into Analytics Engine: then the account has it. */
async function isInUse(cloudflare: Cloudflare): Promise<boolean> {
  const deployment = read(await cloudflare.ask(["deployments", "status", "--json"]), Deployment);
  if ("reason" in deployment) return false;
  const [{ version_id: id }] = deployment.value.versions;
  const version = read(await cloudflare.ask(["versions", "view", id, "--json"]), Version);
  if ("reason" in version) return false;
  return version.value.resources.bindings.some(({ type }) => type === "analytics_engine");
}

/**
 * Cloudflare refuses to deploy a dataset on an account on which nobody has enabled Analytics Engine, and Wrangler can't ask
 * whether somebody has: only a deployment that has succeeded tells.
 */
export async function checkAnalytics(
  cloudflare: Cloudflare,
  { analytics_engine_datasets: datasets }: Configuration,
): Promise<Finding[]> {
  if (datasets.length === 0 || (await isInUse(cloudflare))) return [];
  return [
    {
      severity: "warning",
      what: ANALYTICS_ENGINE,
      problem:
        "nobody can ask whether the account has it enabled; if not, Cloudflare refuses the deployment (code 10089)",
      mend: "enable it once in Cloudflare's dashboard (docs/operations.md#dashboards-and-alarms), or remove [[analytics_engine_datasets]] from wrangler.toml",
    },
  ];
}
