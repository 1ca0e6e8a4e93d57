import type { Answer } from "../../api/types.ts";
import { type Command, parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { formatTable } from "../print/table.ts";
import { counted } from "../progress/words.ts";
import type { Terminal } from "../terminal.ts";
import { clientOf } from "./client.ts";

const HELP = `Shows your account: its permissions, what is left of its trial, and its usage.

  segmentation-client account
  segmentation-client account --usage
  segmentation-client account --usage --from 2026-11-01 --to 2026-11-30

  --usage          units (pictures, frames of videos) per day, for 30 days
  --from, --to     days in UTC, such as 2026-11-01
  --json           print JSON
  --base-url URL   the service (default: that of your last login)`;

const OPTIONS = { usage: { type: "boolean" }, from: { type: "string" }, to: { type: "string" } } as const;

/** The mode, with a reason that adds to it: the reasons of `trial` begin with it, and `paid` has only one. */
function accessText({ mode, reason }: Answer<"getAccountOverview">["access"]): string {
  const why = reason.replace(`${mode}_`, "").replaceAll("_", " ");
  return mode === "paid" ? mode : `${mode}: ${why}`;
}

async function account(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("account", args, OPTIONS);
  if (positionals.length > 0)
    throw usageFailure("account takes no arguments. See segmentation-client account --help.");
  const { api } = await clientOf(terminal, values);
  const options = { signal: terminal.signal };
  const { from, to, usage, json } = values;
  if (usage === true || from !== undefined || to !== undefined) {
    const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const { days } = await api.getAccountUsage(period, options);
    if (json === true) terminal.print(JSON.stringify({ days }, null, 2));
    else {
      const used = days.filter(({ units, jobs }) => units > 0 || jobs > 0);
      const sum = used.reduce((total, { units }) => total + units, 0);
      const table = formatTable(
        ["day", "units", "jobs"],
        used.map(({ date, units, jobs }) => [date, units, jobs]),
      );
      if (used.length > 0) for (const line of table) terminal.print(line);
      terminal.print(`${counted(sum, "unit")} in ${days.length} days`);
    }
    return 0;
  }
  const [who, overview] = await Promise.all([
    api.getAccount({}, options),
    api.getAccountOverview({}, options),
  ]);
  if (json === true) {
    terminal.print(JSON.stringify({ ...who, ...overview }, null, 2));
    return 0;
  }
  const { access, trial, tokenUsageLast24h } = overview;
  const rows = [
    ["account", `${who.email} (${who.accountId})`],
    ["access", accessText(access)],
    [
      "jobs",
      access.canCreateJobs
        ? `up to ${access.maxActiveJobs} at a time, ${access.maxImageTasksPerJob} pictures each`
        : "none now",
    ],
    ["videos", access.videoAllowed ? "yes" : "no"],
    ["last 24 hours", counted(tokenUsageLast24h, "unit")],
    ...(access.mode === "trial"
      ? [
          [
            "trial",
            `${trial.remainingTokens} of ${trial.grantTokens} units left${trial.expiresAt === null ? "" : `, until ${trial.expiresAt}`}`,
          ],
        ]
      : []),
  ];
  for (const line of formatTable(["", ""], rows).slice(1)) terminal.print(line);
  return 0;
}

export const ACCOUNT: Command = {
  summary: "show your account's permissions and usage",
  help: HELP,
  options: OPTIONS,
  run: account,
};
