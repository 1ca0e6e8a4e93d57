import { Hono } from "hono";
import { UsageQuery } from "../../contract/usage.ts";
import { getAccountOverview } from "../../services/operations/get-account-overview.ts";
import { getAccountUsage } from "../../services/operations/get-account-usage.ts";
import { getAccount } from "../../services/operations/get-account.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { validate } from "../middleware/validate.ts";
import { wrongMethod } from "./wrong-method.ts";

export const account = new Hono<AppEnv>()
  .get("/", authenticate, async (c) => c.json(await getAccount(platform(c), c.var.account.accountId)))
  .all("/", wrongMethod("GET"))
  .get("/overview", authenticate, async (c) => c.json(await getAccountOverview(platform(c), c.var.account)))
  .all("/overview", wrongMethod("GET"))
  .get("/usage", authenticate, validate("query", UsageQuery), async (c) =>
    c.json(await getAccountUsage(platform(c), c.var.account.accountId, c.req.valid("query"))),
  )
  .all("/usage", wrongMethod("GET"));
