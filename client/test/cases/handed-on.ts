const ANSWER = "callers get the answer as the service sent it";
const PARAMETER = "callers name it, and it is sent like every parameter of a query";

/** Objects, fields, parameters and headers of operations that no client reads, each with the reason. */
export const HANDED_ON: Readonly<Record<string, string>> = {
  "AcceptedJob.trial": ANSWER,
  AccountAccess: ANSWER,
  AccountOverview: ANSWER,
  AccountTrial: ANSWER,
  AccountUsage: ANSWER,
  ApiKeyList: ANSWER,
  RevokedApiKey: ANSWER,
  UsageDay: ANSWER,
  "getAccountUsage?from": PARAMETER,
  "getAccountUsage?to": PARAMETER,
  "header idempotent-replayed":
    "a repeated request means the same to a client, whether or not it was the first",
  "header last-event-id": "a stream that is opened again begins with the job's present status",
};
