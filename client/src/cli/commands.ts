import { ACCOUNT } from "./account/account.ts";
import { KEYS } from "./account/keys.ts";
import { LOGIN } from "./account/login.ts";
import type { Command } from "./command/command.ts";
import { completionOf } from "./completion/command.ts";
import { CANCEL, DELETE } from "./jobs/end.ts";
import { JOB } from "./jobs/job.ts";
import { JOBS } from "./jobs/jobs.ts";
import { SEGMENT } from "./segment/command.ts";
import { WEBHOOKS } from "./webhooks/command.ts";

/** All commands by their names. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  segment: SEGMENT,
  jobs: JOBS,
  job: JOB,
  cancel: CANCEL,
  delete: DELETE,
  account: ACCOUNT,
  keys: KEYS,
  webhooks: WEBHOOKS,
  login: LOGIN,
  completion: completionOf(() => COMMANDS),
};
