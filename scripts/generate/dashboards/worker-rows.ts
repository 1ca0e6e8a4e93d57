import { count, eventsSql, highest, p95, sum } from "./analytics.ts";
import { graph, type Row } from "./grafana.ts";

/** The graphs of the operator's dashboard for the Worker, with their alarms. */
export const WORKER_ROWS: readonly Row[] = [
  {
    heading: "Jobs",
    panels: [
      graph("Time to result (95th percentile)", "ms", p95("job_ended", "ms", "lane"), {
        when: "`interactive` above 60000 for 15 minutes",
        means: "single pictures take more than a minute from acceptance to result",
        todo: "look at the next two panels: if jobs wait, add inference services; if not, see the stages of the inference service",
      }),
      graph("Time to first start (95th percentile)", "ms", p95("job_started", "ms", "lane")),
      graph("Oldest waiting job", "s", highest("lane_gauges", "oldestWaitingSeconds", "lane"), {
        when: "`interactive` above 60, `bulk` or `trial` above 3600 for 10 minutes",
        means: "jobs accepted that long ago still wait for an inference service to take their first task",
        todo: "see *Offers by outcome*: if offers are busy, add services; if they are unanswered or absent, the service or the queue is down. `npm run admin -- stuck-jobs` lists the jobs",
      }),
      graph("Waiting jobs", "short", highest("lane_gauges", "waitingJobs", "lane")),
      graph("Open jobs", "short", highest("lane_gauges", "openJobs", "lane")),
      graph("Open tasks", "short", highest("lane_gauges", "openTasks", "lane"), {
        when: "`trial` at `TRIAL_MAX_BACKLOG` (200) for 30 minutes",
        means: "trial jobs get 503 `trial_queue_full`",
        todo: "add services, or raise `TRIAL_MAX_BACKLOG`; paying accounts are not affected",
      }),
      graph("Jobs ended", "short", count("job_ended", "status")),
      graph("Tasks canceled", "short", sum("job_canceled", "canceledTasks", "by")),
      graph(
        "Tasks failed by problem",
        "short",
        count("task_completed", "problem", { outcome: "= 'failed'", reported: "= 'ended'" }),
      ),
    ],
  },
  {
    heading: "Dispatch",
    panels: [
      graph("Offers by outcome", "short", count("task_offered", "outcome"), {
        when: "`unanswered` or `refused` above 10 in 15 minutes",
        means:
          "unanswered: the inference service gave no answer within ten seconds. Refused: it does not understand the Worker",
        todo: "`inference_busy` or `inference_refused` in the log says why; after an upgrade see [Upgrades](maintenance.md#upgrades)",
      }),
      graph("Tasks put off for lack of room", "short", sum("tasks_put_off", "tasks", "lane")),
      graph("Tasks put off because the service is away", "short", sum("tasks_put_off", "tasks", "why"), {
        when: "`away` above 10 in 15 minutes",
        means:
          "no inference service says whether it has room: none can be reached, is ready, accepts the Worker's token and speaks its version of the protocol",
        todo: "`tasks_put_off` in the log says why; the tasks wait in their queues and lose nothing",
      }),
      graph("Time of an offer (95th percentile)", "ms", p95("task_offered", "ms", "lane"), {
        when: "above 5000 for 15 minutes",
        means: "the inference service answers slowly; at ten seconds an offer counts as unanswered",
        todo: "check its processors and its ingress",
      }),
      graph("Leases expired", "short", count("lease_expired", "lane"), {
        when: "above 5 in an hour",
        means: "inference services crash or hang; their tasks are retried, with at most three attempts",
        todo: "check `inference_engine_restarts_total`, memory, and whether the services reach the Worker",
      }),
      graph("Reports of lease holders", "short", count("task_completed", "reported")),
    ],
  },
  {
    heading: "Requests",
    panels: [
      graph("Requests by status", "short", count("request", "status"), {
        when: "`500` above 0 in 5 minutes",
        means: "requests failed because of a fault in the service",
        todo: "`request_failed` in the log has the reason",
      }),
      graph("Refusals by error code", "short", count("request", "error", { error: "!= ''" }), {
        when: "`Unauthorized` or `rate_limited` above 10 times the usual rate for 15 minutes",
        means: "somebody is trying credentials, or a client is out of control",
        todo: "`rate_exceeded` in the log names the account or the address: block it in Cloudflare's firewall, or `npm run admin -- suspend-account`",
      }),
      graph("Time of a request (95th percentile)", "ms", p95("request", "ms", "operation"), {
        when: "`createJob` above 5000 for 15 minutes",
        means: "the database or the bucket answers slowly",
        todo: "see Cloudflare's status, and D1's own metrics of query times",
      }),
    ],
  },
  {
    heading: "Archives",
    panels: [
      graph("Time to archive (95th percentile)", "ms", p95("archive_ended", "ms", "status"), {
        when: "`ready` above 1800000",
        means:
          "archives take half an hour from request to end: consumers are interrupted, or the archive queue has a backlog",
        todo: "see the other graphs in this row, and `archive_failed` in the log",
      }),
      graph("Archives ended", "short", count("archive_ended", "status"), {
        when: "`failed` above 0 in an hour",
        means: "an archive failed for good; its account sees the reason, and can request it again",
        todo: "`archive_failed` in the log has the reason",
      }),
      graph("Last turn of an archive (95th percentile)", "ms", p95("archive_built", "ms")),
      graph("Messages of an archive", "short", highest("archive_built", "messages"), {
        when: "above 20",
        means: "an archive was interrupted repeatedly",
        todo: "`archive_failed` and `archive_unfinished` in the log say how far it was",
      }),
      graph("Files of archives built", "short", sum("archive_built", "files")),
      graph("Bytes of archives built", "bytes", sum("archive_built", "size")),
      graph("Turns that did not finish an archive", "short", count("archive_unfinished")),
      graph("Turn that did not finish an archive (highest)", "ms", highest("archive_unfinished", "ms")),
    ],
  },
  {
    heading: "Webhooks",
    panels: [
      graph("Webhook attempts by outcome", "short", count("webhook_attempted", "outcome"), {
        when: "`delivered` is 0 for an hour while others are above 20",
        means: "no account's endpoints can be reached, so the cause is unlikely to be the endpoints",
        todo: "see Cloudflare's status; if the outcome is always `url_forbidden`, the service's own host is now the endpoints' host",
      }),
      graph("Time of a webhook attempt (95th percentile)", "ms", p95("webhook_attempted", "ms", "outcome")),
      graph("Webhook deliveries ended", "short", count("webhook_delivery_ended", "outcome")),
      graph(
        "Time from an event to its delivery (95th percentile)",
        "ms",
        p95("webhook_delivery_ended", "ms", "type", { outcome: "= 'succeeded'" }),
      ),
      graph(
        "Attempts of a webhook delivery (highest)",
        "short",
        highest("webhook_delivery_ended", "attempts"),
      ),
      graph("Backlog of a webhook endpoint (highest)", "bytes", highest("webhook_backlog", "bytes"), {
        when: "above half of `MAX_WEBHOOK_BACKLOG_BYTES` (500000000)",
        means:
          "an endpoint does not receive its events, or receives them more slowly than they happen. At the limit its oldest undelivered events are dropped",
        todo: "`webhook_backlog` in the log names the endpoint: tell its account, or raise the setting",
      }),
      graph("Undelivered events of an endpoint (highest)", "short", highest("webhook_backlog", "deliveries")),
      graph(
        "Webhook deliveries dropped",
        "short",
        sum("webhook_deliveries_dropped", "deliveries", "because"),
        {
          when: "`bytes` above 0: at once",
          means: "events were lost for an endpoint whose backlog has reached `MAX_WEBHOOK_BACKLOG_BYTES`",
          todo: "`webhook_deliveries_dropped` in the log names the endpoint; its account finds the jobs in its list",
        },
      ),
    ],
  },
  {
    heading: "Books and storage",
    panels: [
      graph("Oldest unsent usage", "s", highest("usage_reported", "oldestSeconds"), {
        when: "above 1800 for 15 minutes",
        means:
          "usage has been waiting to be sent for half an hour. Usage sent more than an hour after a period's end is not on that period's invoice",
        todo: "see `usage_lagging`, `usage_report_failed` and `payment_provider_failed` above",
      }),
      graph("Usage events due", "short", highest("usage_reported", "due")),
      graph("Usage events sent", "short", sum("usage_reported", "sent")),
      graph("Unpaid units of an account (highest)", "short", highest("account_owes", "units")),
      graph(
        "Share of its credit that an account owes (highest)",
        "percent",
        highest("account_owes", "percent"),
        {
          when: "above 80",
          means: "an account has used most of what it may owe; at 100 its jobs get 402 `payment_required`",
          todo: "`account_owes` in the log names the account, its unpaid units and how much of its credit they are. If you know the customer, `npm run admin -- set-credit`; if its invoices stay unpaid, see them in Stripe",
        },
      ),
      graph(
        "Work of a day that an account is not charged for (highest)",
        "short",
        highest("account_uncharged", "units"),
        {
          when: "above 1000",
          means:
            "an account costs more than it pays: its jobs of the day had that many more tasks, or processed units, or a hundredth of the files, than it was charged units",
          todo: "`account_uncharged` in the log names the account. If its tasks fail, `npm run admin -- show-job` says why; if it cancels what has begun or writes very many files, lower its `set-limit`, or `npm run admin -- suspend-account`",
        },
      ),
      graph("Units charged on that day (highest)", "short", highest("account_uncharged", "chargedUnits")),
      graph("Parts of books closed in a run (highest)", "short", highest("books_closed", "parts"), {
        when: "at 70 for a day",
        means:
          "more books are due than one run can close, so entries stay in the database for longer than `LEDGER_OPEN_DAYS`",
        todo: "watch *Size of the database*; if it grows from week to week, close more parts in a run (`MOST_PARTS_A_RUN` in `src/billing/operations/close-books.ts`)",
      }),
      graph("Jobs whose books were closed", "short", sum("books_closed", "jobs")),
      graph("Meter events purged", "short", sum("books_closed", "purgedMeterEvents")),
      graph("Size of the database", "bytes", highest("database_gauges", "bytes", "database"), {
        when: "above 7000000000",
        means: "D1 holds 10 GB; once it is full, the service accepts nothing",
        todo: "add a database (`npm run admin -- add-database`) and move accounts to it; or shorten `RETENTION_DAYS`; see which table grows with `npx wrangler d1 execute`",
      }),
      graph("Time of a read from the database", "ms", highest("database_gauges", "readMs", "database"), {
        when: "above 500 for 15 minutes",
        means:
          "a read of one row waits for others: the database runs one statement at a time, and has work for most of its time",
        todo: "see the times of queries in D1's own metrics; move accounts to a database that has less to do (`npm run admin -- move-account`), or add one",
      }),
      graph(
        "Refused because a database is full, overloaded or away",
        "short",
        sum("database_failed", "times", "database"),
        {
          when: "above 10 in 5 minutes",
          means:
            "accounts whose books are in that database get 503 `database_unavailable`; others notice nothing",
          todo: "`database_failed` in the log has the reason; if it is full, move accounts (`npm run admin -- move-account`)",
        },
      ),
      graph("Dead letters", "short", highest("database_gauges", "deadLetters"), {
        when: "above 0",
        means: "messages could not be processed in eleven deliveries",
        todo: "`npm run admin -- dead-letters`, with `--replay` once the cause is fixed",
      }),
      graph("Stuck jobs", "short", highest("database_gauges", "stuckJobs"), {
        when: "above 0 for 26 hours",
        means: "jobs have been in progress for more than a day, and the nightly run did not end them",
        todo: "`npm run admin -- stuck-jobs`, then `show-job`, `wake-job` or `cancel-job`",
      }),
      graph("Deleted jobs that are not purged", "short", highest("database_gauges", "unpurgedJobs"), {
        when: "above 0 for 26 hours",
        means:
          "deleted jobs, or jobs past their retention, still have files or records, and the nightly run did not purge them",
        todo: "`outbox_failed` in the log says why; `npm run admin -- wake-job` tries again",
      }),
      graph("Overdue for the sweep", "s", highest("database_gauges", "unsweptSeconds", "database"), {
        when: "above 14400 for 15 minutes",
        means:
          "uploads, Idempotency-Keys or Stripe's events that the hourly sweep of that database should have deleted are still there",
        todo: "the log says which part of the sweep fails, and why; if none does, see that the queue `segmentation-upkeep` has its consumer, and *Uploads due for inspection*: the next sweeps catch up with a flood of uploads",
      }),
      graph("Files purged of deleted jobs", "short", sum("job_purged", "files", "purge")),
      graph("Delay of upload inspection", "ms", highest("uploads_inspected", "lateMs"), {
        when: "above 3600000",
        means: "more files are uploaded than the inspection can handle",
        todo: "look for an account that uploads a lot: `upload_dropped` in the log, `npm run admin -- show-account`",
      }),
      graph("Uploads whose size comes late", "short", highest("upload_gauges", "unsized")),
      graph("Lateness of sizes", "s", highest("upload_gauges", "oldestSeconds"), {
        when: "above 3600",
        means: "what was uploaded does not count yet for its accounts, and what is too large stays",
        todo: "see the next graphs: without events all sizes wait for the inspection. See that the bucket has its event notification, and the queue `segmentation-uploads` its consumer",
      }),
      graph("Sizes noted from events", "short", sum("sizes_noted", "uploads")),
      graph("Lateness of events (highest)", "ms", highest("sizes_noted", "lateMs")),
      graph("Uploads that no event reported", "short", sum("uploads_inspected", "unreported")),
      graph("Uploads due for inspection", "short", highest("uploads_inspected", "due")),
      graph("Uploads inspected", "short", sum("uploads_inspected", "inspected")),
      graph("Unused uploads deleted", "short", sum("uploads_swept", "unused")),
      graph("Expired uploads deleted", "short", sum("uploads_swept", "swept")),
    ],
  },
  {
    heading: "The service itself",
    panels: [
      graph("Crons ended", "short", count("cron_ended", "cron"), {
        when: "`*/5 * * * *` below 1 in 20 minutes, `17 * * * *` below 1 in 3 hours, `43 3 * * *` below 1 in 26 hours",
        means: "a cron job fails or does not run: usage is not reported, or expired data is not deleted",
        todo: "look for the run in Cloudflare's dashboard, under the Worker's settings and its log",
      }),
      graph("Time of a cron (highest)", "ms", highest("cron_ended", "ms", "cron"), {
        when: "`*/5 * * * *` above 270000",
        means: "a run takes almost as long as the interval between runs",
        todo: "see *Usage events due* and *Uploads due for inspection*",
      }),
      graph("Errors by event", "short", eventsSql("error"), {
        when: "above 0 in 15 minutes; `job_unlisted`, `usage_stalled`, `dead_letter`, `customer_unknown`: immediately",
        means: "something failed that should never fail: the table of events above explains each event",
        todo: "look for the event in the log",
      }),
      graph("Warnings by event", "short", eventsSql("warn"), {
        when: "above 10 times the usual rate for 15 minutes",
        means: "something is refused or lost repeatedly: the table of events above explains each event",
        todo: "look for the event in the log",
      }),
    ],
  },
];
