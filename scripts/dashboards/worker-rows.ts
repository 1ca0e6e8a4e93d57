import { eventsSql, sqlOf } from "./analytics.ts";
import type { Row } from "./panel.ts";

/** What the operator's dashboard of the Worker shows, and when each figure is an alarm. */
export const WORKER_ROWS: readonly Row[] = [
  {
    heading: "Jobs",
    panels: [
      {
        title: "Time to result (95th percentile)",
        unit: "ms",
        query: sqlOf({ metric: "job_ended", show: "p95", of: "ms", by: "lane" }),
        alarm: {
          when: "`interactive` above 60000 for 15 minutes",
          means: "single pictures take more than a minute from acceptance to result",
          todo: "look at the next two panels: if jobs wait, add inference services; if not, see the stages of the inference service",
        },
      },
      {
        title: "Time to first start (95th percentile)",
        unit: "ms",
        query: sqlOf({ metric: "job_started", show: "p95", of: "ms", by: "lane" }),
      },
      {
        title: "Oldest waiting job",
        unit: "s",
        query: sqlOf({ metric: "lane_gauges", show: "highest", of: "oldestWaitingSeconds", by: "lane" }),
        alarm: {
          when: "`interactive` above 60, `bulk` above 3600 for 10 minutes",
          means: "no service has taken a task of a job that was accepted so long ago",
          todo: "see *Offers by outcome*: busy means add services; unanswered or none means that the service or the queue is away. `npm run admin -- stuck-jobs` lists jobs",
        },
      },
      {
        title: "Waiting jobs",
        unit: "short",
        query: sqlOf({ metric: "lane_gauges", show: "highest", of: "waitingJobs", by: "lane" }),
      },
      {
        title: "Open jobs",
        unit: "short",
        query: sqlOf({ metric: "lane_gauges", show: "highest", of: "openJobs", by: "lane" }),
      },
      {
        title: "Open tasks",
        unit: "short",
        query: sqlOf({ metric: "lane_gauges", show: "highest", of: "openTasks", by: "lane" }),
        alarm: {
          when: "`trial` at `TRIAL_MAX_BACKLOG` (200) for 30 minutes",
          means: "trial jobs get 503 `trial_queue_full`",
          todo: "add services, or raise `TRIAL_MAX_BACKLOG`; paying accounts are not affected",
        },
      },
      {
        title: "Jobs ended",
        unit: "short",
        query: sqlOf({ metric: "job_ended", show: "count", by: "status" }),
      },
      {
        title: "Tasks cancelled",
        unit: "short",
        query: sqlOf({ metric: "job_canceled", show: "sum", of: "canceledTasks", by: "by" }),
      },
      {
        title: "Tasks failed by problem",
        unit: "short",
        query: sqlOf({
          metric: "task_completed",
          show: "count",
          by: "problem",
          where: { outcome: "= 'failed'", reported: "= 'ended'" },
        }),
      },
    ],
  },
  {
    heading: "Dispatch",
    panels: [
      {
        title: "Offers by outcome",
        unit: "short",
        query: sqlOf({ metric: "task_offered", show: "count", by: "outcome" }),
        alarm: {
          when: "`unanswered` or `refused` above 10 in 15 minutes",
          means:
            "unanswered: the inference service gave no answer within ten seconds. Refused: it does not understand the Worker",
          todo: "`inference_busy` or `inference_refused` in the log says why; after an upgrade see [Upgrades](#upgrades)",
        },
      },
      {
        title: "Time of an offer (95th percentile)",
        unit: "ms",
        query: sqlOf({ metric: "task_offered", show: "p95", of: "ms", by: "lane" }),
        alarm: {
          when: "above 5000 for 15 minutes",
          means: "the inference service answers slowly; at ten seconds an offer counts as unanswered",
          todo: "check its processors and its ingress",
        },
      },
      {
        title: "Leases expired",
        unit: "short",
        query: sqlOf({ metric: "lease_expired", show: "count", by: "lane" }),
        alarm: {
          when: "above 5 in an hour",
          means: "inference services die or hang: their tasks are tried again, three times at most",
          todo: "check `inference_engine_restarts_total`, memory, and whether the services reach the Worker",
        },
      },
      {
        title: "Reports of holders",
        unit: "short",
        query: sqlOf({ metric: "task_completed", show: "count", by: "reported" }),
      },
    ],
  },
  {
    heading: "Requests",
    panels: [
      {
        title: "Requests by status",
        unit: "short",
        query: sqlOf({ metric: "request", show: "count", by: "status" }),
        alarm: {
          when: "`500` above 0 in 5 minutes",
          means: "requests failed for a reason of the service's own",
          todo: "`request_failed` in the log has the reason",
        },
      },
      {
        title: "Refusals by error code",
        unit: "short",
        query: sqlOf({ metric: "request", show: "count", by: "error", where: { error: "!= ''" } }),
        alarm: {
          when: "`Unauthorized` or `rate_limited` above 10 times what is usual, for 15 minutes",
          means: "somebody tries credentials, or a client runs wild",
          todo: "`rate_exceeded` in the log names the account or the address: block it in Cloudflare's firewall, or `npm run admin -- suspend-account`",
        },
      },
      {
        title: "Time of a request (95th percentile)",
        unit: "ms",
        query: sqlOf({ metric: "request", show: "p95", of: "ms", by: "operation" }),
        alarm: {
          when: "`createJob` above 5000 for 15 minutes",
          means: "the database or the bucket answers slowly",
          todo: "see Cloudflare's status, and D1's own metrics of query times",
        },
      },
    ],
  },
  {
    heading: "Archives",
    panels: [
      {
        title: "Time to archive (95th percentile)",
        unit: "ms",
        query: sqlOf({ metric: "archive_ended", show: "p95", of: "ms", by: "status" }),
        alarm: {
          when: "`ready` above 1800000",
          means:
            "archives take half an hour from request to end: consumers are cut off, or the queue of archives is behind",
          todo: "see the graphs beside it, and `archive_failed` in the log",
        },
      },
      {
        title: "Archives ended",
        unit: "short",
        query: sqlOf({ metric: "archive_ended", show: "count", by: "status" }),
        alarm: {
          when: "`failed` above 0 in an hour",
          means: "an archive was given up; its account sees why, and may ask again",
          todo: "`archive_failed` in the log has the reason",
        },
      },
      {
        title: "Last turn of an archive (95th percentile)",
        unit: "ms",
        query: sqlOf({ metric: "archive_built", show: "p95", of: "ms" }),
      },
      {
        title: "Messages of an archive",
        unit: "short",
        query: sqlOf({ metric: "archive_built", show: "highest", of: "messages" }),
        alarm: {
          when: "above 20",
          means: "an archive was cut off again and again",
          todo: "`archive_failed` and `archive_unfinished` in the log say where it stood",
        },
      },
      {
        title: "Files of archives built",
        unit: "short",
        query: sqlOf({ metric: "archive_built", show: "sum", of: "files" }),
      },
      {
        title: "Bytes of archives built",
        unit: "bytes",
        query: sqlOf({ metric: "archive_built", show: "sum", of: "size" }),
      },
      {
        title: "Turns that did not finish an archive",
        unit: "short",
        query: sqlOf({ metric: "archive_unfinished", show: "count" }),
      },
      {
        title: "Turn that did not finish an archive (highest)",
        unit: "ms",
        query: sqlOf({ metric: "archive_unfinished", show: "highest", of: "ms" }),
      },
    ],
  },
  {
    heading: "Webhooks",
    panels: [
      {
        title: "Webhook attempts by outcome",
        unit: "short",
        query: sqlOf({ metric: "webhook_attempted", show: "count", by: "outcome" }),
        alarm: {
          when: "`delivered` is 0 for an hour while others are above 20",
          means: "no endpoint of any account can be reached, which is hardly the endpoints' doing",
          todo: "see Cloudflare's status; `url_forbidden` alone means that the service's own host has changed to theirs",
        },
      },
      {
        title: "Time of a webhook attempt (95th percentile)",
        unit: "ms",
        query: sqlOf({ metric: "webhook_attempted", show: "p95", of: "ms", by: "outcome" }),
      },
      {
        title: "Webhook deliveries ended",
        unit: "short",
        query: sqlOf({ metric: "webhook_delivery_ended", show: "count", by: "outcome" }),
      },
      {
        title: "Time from an event to its delivery (95th percentile)",
        unit: "ms",
        query: sqlOf({
          metric: "webhook_delivery_ended",
          show: "p95",
          of: "ms",
          by: "type",
          where: { outcome: "= 'succeeded'" },
        }),
      },
      {
        title: "Attempts of a webhook delivery (highest)",
        unit: "short",
        query: sqlOf({ metric: "webhook_delivery_ended", show: "highest", of: "attempts" }),
      },
    ],
  },
  {
    heading: "Books and storage",
    panels: [
      {
        title: "Oldest unsent usage",
        unit: "s",
        query: sqlOf({ metric: "usage_reported", show: "highest", of: "oldestSeconds" }),
        alarm: {
          when: "above 1800 for 15 minutes",
          means:
            "usage could have been sent for half an hour. What comes an hour after a period's end is not on its invoice",
          todo: "see `usage_lagging`, `usage_report_failed` and `payment_provider_failed` above",
        },
      },
      {
        title: "Usage events due",
        unit: "short",
        query: sqlOf({ metric: "usage_reported", show: "highest", of: "due" }),
      },
      {
        title: "Usage events sent",
        unit: "short",
        query: sqlOf({ metric: "usage_reported", show: "sum", of: "sent" }),
      },
      {
        title: "Parts of books closed in a run (highest)",
        unit: "short",
        query: sqlOf({ metric: "books_closed", show: "highest", of: "parts" }),
        alarm: {
          when: "at 70 for a day",
          means:
            "more books are due than a run closes, so entries stay in the database for longer than `LEDGER_OPEN_DAYS`",
          todo: "watch *Size of the database*; if it grows from week to week, close more parts in a run (`MOST_PARTS_A_RUN` in `src/services/close-books.ts`)",
        },
      },
      {
        title: "Jobs whose books were closed",
        unit: "short",
        query: sqlOf({ metric: "books_closed", show: "sum", of: "jobs" }),
      },
      {
        title: "Meter events purged",
        unit: "short",
        query: sqlOf({ metric: "books_closed", show: "sum", of: "purgedMeterEvents" }),
      },
      {
        title: "Size of the database",
        unit: "bytes",
        query: sqlOf({ metric: "database_gauges", show: "highest", of: "bytes" }),
        alarm: {
          when: "above 7000000000",
          means: "D1 takes 10 GB, and nothing is accepted once it is full",
          todo: "shorten `RETENTION_DAYS`; see which table grows with `npx wrangler d1 execute`",
        },
      },
      {
        title: "Dead letters",
        unit: "short",
        query: sqlOf({ metric: "database_gauges", show: "highest", of: "deadLetters" }),
        alarm: {
          when: "above 0",
          means: "messages could not be handled in three deliveries",
          todo: "`npm run admin -- dead-letters`, with `--replay` once the cause is mended",
        },
      },
      {
        title: "Stuck jobs",
        unit: "short",
        query: sqlOf({ metric: "database_gauges", show: "highest", of: "stuckJobs" }),
        alarm: {
          when: "above 0 for 26 hours",
          means: "jobs are under way for more than a day, and the nightly look did not end them",
          todo: "`npm run admin -- stuck-jobs`, then `show-job`, `wake-job` or `cancel-job`",
        },
      },
      {
        title: "Deleted jobs that are not purged",
        unit: "short",
        query: sqlOf({ metric: "database_gauges", show: "highest", of: "unpurgedJobs" }),
        alarm: {
          when: "above 0 for 26 hours",
          means:
            "something is left of jobs that their accounts have deleted, or that are past their retention, and the nightly look did not purge them",
          todo: "`outbox_failed` in the log says why; `npm run admin -- wake-job` tries again",
        },
      },
      {
        title: "Files purged of deleted jobs",
        unit: "short",
        query: sqlOf({ metric: "job_purged", show: "sum", of: "files", by: "purge" }),
      },
      {
        title: "Lateness of the inspection of uploads",
        unit: "ms",
        query: sqlOf({ metric: "uploads_inspected", show: "highest", of: "lateMs" }),
        alarm: {
          when: "above 3600000",
          means: "more is uploaded than the inspection looks at",
          todo: "look for an account that uploads much: `upload_dropped` in the log, `npm run admin -- show-account`",
        },
      },
      {
        title: "Uploads due for inspection",
        unit: "short",
        query: sqlOf({ metric: "uploads_inspected", show: "highest", of: "due" }),
      },
      {
        title: "Uploads inspected",
        unit: "short",
        query: sqlOf({ metric: "uploads_inspected", show: "sum", of: "inspected" }),
      },
      {
        title: "Unused uploads deleted",
        unit: "short",
        query: sqlOf({ metric: "uploads_swept", show: "sum", of: "unused" }),
      },
      {
        title: "Outlived uploads deleted",
        unit: "short",
        query: sqlOf({ metric: "uploads_swept", show: "sum", of: "swept" }),
      },
    ],
  },
  {
    heading: "The service itself",
    panels: [
      {
        title: "Crons ended",
        unit: "short",
        query: sqlOf({ metric: "cron_ended", show: "count", by: "cron" }),
        alarm: {
          when: "`*/5 * * * *` below 1 in 20 minutes, `17 * * * *` below 1 in 3 hours, `43 3 * * *` below 1 in 26 hours",
          means: "a cron fails or does not run: usage is not reported, or nothing is swept",
          todo: "look for the run in Cloudflare's dashboard, under the Worker's settings and its log",
        },
      },
      {
        title: "Time of a cron (highest)",
        unit: "ms",
        query: sqlOf({ metric: "cron_ended", show: "highest", of: "ms", by: "cron" }),
        alarm: {
          when: "`*/5 * * * *` above 270000",
          means: "a run lasts nearly until the next one begins",
          todo: "see *Usage events due* and *Uploads due for inspection*",
        },
      },
      {
        title: "Errors by event",
        unit: "short",
        query: eventsSql("error"),
        alarm: {
          when: "above 0 in 15 minutes; `job_unlisted`, `usage_stalled`, `dead_letter`, `customer_unknown`: at once",
          means: "something failed that should not: the table of events above says what",
          todo: "look for the event in the log",
        },
      },
      {
        title: "Warnings by event",
        unit: "short",
        query: eventsSql("warn"),
        alarm: {
          when: "above 10 times what is usual, for 15 minutes",
          means: "something is refused or lost again and again: the table of events above says what",
          todo: "look for the event in the log",
        },
      },
    ],
  },
];
