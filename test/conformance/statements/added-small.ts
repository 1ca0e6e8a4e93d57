import { section } from "../statement.ts";

/** Section 6 of the additions: importing, the model in use, usage by the day. */
export const ADDED_SMALL = [
  ...section(
    "A6",
    [
      "The service fetches a public picture or video, streams it into the bucket and answers with taskId, contentType and size.",
      "operations/importUpload: stores the file of a source that %s",
      "operations/importUpload: makes an upload that a job takes, and counts its bytes as uploaded",
      "e2e/import: streams what is fetched into the bucket, and a job takes it",
    ],
    [
      "It fetches from https URLs of public hosts alone, in whatever spelling, and from 127.0.0.1 where a setting allows it.",
      "unit/core/lib/public-url: is %j: its host is not public",
      "unit/core/lib/public-url: is %j: it is not https",
      "unit/core/lib/public-url: is %j: it has credentials, which the sentence does not repeat",
      "unit/core/lib/public-url: is %j: it leads to the service itself",
      "unit/core/lib/public-url: is any with an IPv4 address that is not public, however it is written",
      "operations/importUpload: asks nobody for a URL that the rule for public URLs refuses",
      "operations/importUpload: takes a local URL where a setting allows it",
    ],
    [
      "It follows two redirects, each checked as the first URL.",
      "operations/importUpload: follows two redirects, by whatever name the next one has there",
      "operations/importUpload: follows no redirect to a URL that the rule refuses",
      "e2e/import: follows a redirect, and none to where it may not ask",
    ],
    [
      "Size and first bytes are checked as an upload's; the content type is the bytes', whatever the source says.",
      "operations/importUpload: says what the file is by its bytes, or by the header where only that knows the format",
      "operations/importUpload: refuses a file that %s larger than its kind may be",
      "operations/importUpload: refuses what is neither a picture nor a video, by its bytes and by its header",
    ],
    [
      "It waits 20 s for the first byte and for each next one, and four minutes in all.",
      "operations/importUpload: that %s nothing remains after 20 seconds",
      "operations/importUpload: that redirects before it is silent nothing remains after the same 20 seconds",
      "operations/importUpload: that goes on and on nothing remains after four minutes",
    ],
    [
      "Imports count as uploads in the account's budgets of bytes and of unused uploads, failed ones with the bytes that came.",
      "operations/importUpload: has the budget of unused uploads, which it shares with presigned ones",
      "operations/importUpload: has the budget of a day's bytes, which failed imports use up too",
      "operations/importUpload: lets exactly as many of many at once through as fit",
    ],
    [
      "Of an import that fails nothing remains: no record, no object, no part of one.",
      "operations/importUpload: of a source that %s nothing remains",
      "operations/importUpload: of a source that breaks off after its first part nothing remains, no part either",
      "operations/importUpload: leaves nothing where storage fails to write %s",
      "e2e/import: leaves nothing of a source that %s",
      "operations/importUpload: leaves nothing for a client that goes away",
    ],
    [
      "getAccountUsage tells units and jobs of each day of UTC, from the ledger, closed books included.",
      "operations/getAccountUsage: is what the account's jobs come to by the day, whenever they ended, before and after its books are closed",
      "operations/getAccountUsage: was so from the books that there were when the table was made, but for the jobs of closed ones",
    ],
    [
      "It tells of at most 366 days, without from and to of the last 30.",
      "operations/getAccountUsage: tells of 366 days in a row each, however many jobs there were",
      "operations/getAccountUsage: tells of the last 30 days up to today where nothing else is asked for",
      "operations/getAccountUsage: refuses a period that is too long, begins too early or ends before it begins",
    ],
    [
      "retrieveModel tells what the model of the inference service is and can, and asks it at most once a minute.",
      "operations/retrieveModel: tells what the inference service's model is and can",
      "operations/retrieveModel: is kept for a minute, for all accounts",
      "inference/models/info: says what a model of labels can, and what one of any phrase",
      "e2e/generated-client: reads the account, makes a key, uses it and revokes it",
    ],
    [
      "While no model can be reached it is 503 model_unavailable.",
      "operations/retrieveModel: says that no model is there while the service %s, and asks again",
    ],
  ),
];
