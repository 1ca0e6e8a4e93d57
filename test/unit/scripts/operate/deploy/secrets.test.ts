import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { NEEDED_SECRETS, OPTIONAL_SECRETS } from "../../../../../scripts/operate/deploy/secrets.ts";

it("the deployment knows each setting that the operator's guide calls a secret", () => {
  const page = readFileSync("docs/operations/settings.md", "utf8");
  const secrets = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|[^|]*\| secret\b/gm)].map(([, name = ""]) => name);
  expect([...NEEDED_SECRETS, ...OPTIONAL_SECRETS].toSorted()).toEqual(secrets.toSorted());
});
