const ANSWER = "callers get the answer as the service sent it";
const STEPS =
  "the clients' own `segment` takes the steps one by one: it shows their progress and resumes them";
const PARAMETER = "callers name it, and it is sent like every parameter of a query";

/** Objects, fields, parameters and headers of operations that no client reads, each with the reason. */
export const HANDED_ON: Readonly<Record<string, string>> = {
  "AcceptedJob.trial": ANSWER,
  AccountAccess: ANSWER,
  AccountOverview: ANSWER,
  AccountTrial: ANSWER,
  AccountUsage: ANSWER,
  ApiKeyList: ANSWER,
  InlinePicture: STEPS,
  PictureAtUrl: STEPS,
  PictureRegion: STEPS,
  RevokedApiKey: ANSWER,
  SegmentFormRequest: STEPS,
  SegmentRequest: STEPS,
  Segmentation: STEPS,
  UnfinishedSegmentation: STEPS,
  UploadedPicture: STEPS,
  UsageDay: ANSWER,
  "getAccountUsage?from": PARAMETER,
  "getAccountUsage?to": PARAMETER,
  "header idempotent-replayed":
    "a repeated request means the same to a client, whether or not it was the first",
  "header last-event-id": "a stream that is opened again begins with the job's present status",
};
