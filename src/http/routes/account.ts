import { Hono } from "hono";
import { getAccountOverview } from "../../services/operations/get-account-overview.ts";
import { getAccount } from "../../services/operations/get-account.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { wrongMethod } from "./wrong-method.ts";

export const account = new Hono<AppEnv>()
  .get("/", authenticate, async (c) => c.json(await getAccount(platform(c), c.var.account.accountId)))
  .all("/", wrongMethod("GET"))
  .get("/overview", authenticate, async (c) => c.json(await getAccountOverview(platform(c), c.var.account)))
  .all("/overview", wrongMethod("GET"));
