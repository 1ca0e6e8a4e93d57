import { Hono } from "hono";
import { retrieveModel } from "../../services/operations/retrieve-model.ts";
import { platform, type AppEnv } from "../context.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { wrongMethod } from "./wrong-method.ts";

export const model = new Hono<AppEnv>()
  .get("/", authenticate, async (c) => c.json(await retrieveModel(platform(c))))
  .all("/", wrongMethod("GET"));
