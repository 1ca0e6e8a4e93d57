/** The tests that tables run for all operations. */
export const UNAUTHORIZED =
  "every-operation/unauthorized: refuses 60 shapes of a bad credential, each with the same body";
export const INTERNAL_ERROR =
  "every-operation/internal-error: tells nothing of what failed inside, but the request's id, which the log has too";
export const ABSENT_JOB =
  "every-operation/absent-job: answers a foreign, an unknown and a malformed jobId alike, byte for byte";

/** Tests that prove several statements. */
export const BAD_FIELDS = "operations/createJob/request: refuses %s";
export const BAD_VIDEO_FIELDS = "operations/createJob/request: refuses a video job with %s";
export const EVERY_ANSWER =
  "e2e/generated-client: was answered by every operation, each answer as the document has it";
export const EXHAUSTED = "operations/createJob/trial: trial_exhausted: no token is left";
export const EXPIRED =
  "operations/createJob/trial: trial_expired: the free trial ends 14 days after the first accepted job, with tokens left";
export const FAILED = "operations/retrieveJob: ends in failed, with an error, when every task failed";
export const FOREIGN_TASK =
  "operations/createJob/request: refuses a foreign and an unknown taskId alike, byte for byte";
export const FOUND =
  "e2e/picture: finds the cat: a mask of the picture's size, a preview, a manifest with signed URLs, an archive of it all";
export const GOOD_VIDEOS = "operations/createJob/accepted: takes a paid account's video with %j";
export const INSUFFICIENT =
  "operations/createJob/trial: trial_insufficient: fewer tokens are left than the job needs; a smaller one is taken";
export const LIMIT = "operations/createJob/trial: trial_limit_exceeded: the free trial takes 3 images a job";
export const MANY_TASKS =
  "operations/createJob/accepted: takes 100 tasks, every optional field, and an upload of an earlier job";
export const NEW_KEY =
  "operations/createApiKey: answers with the key and its secret, which lets into the same account at once";
export const NEW_TRIAL = "operations/getAccountOverview: tells a new account that it may begin its trial";
export const NEXT_USE =
  "operations/revokeApiKey: revokes a key, which is refused on its very next use; the account's others stay";
export const NO_DOWNLOAD =
  "operations/createJobDownload: refuses a job that is not success, queued or failed; nothing was requested then";
export const NO_RESULT =
  "operations/retrieveJobResult: has no result for a job that is queued, processing or failed";
export const NO_VIDEO =
  "operations/createJob/trial: trial_video_unsupported: the free trial takes no video, uploaded or not";
export const PAID =
  "operations/getAccountOverview: tells a paid account that it may use everything, and nothing of billing where there is none";
export const PENDING =
  "operations/createJobDownload: is pending until the archive is built, and asks to come again in 2 seconds";
export const PREVIEW = "inference/service/tasks: a task's masks and preview are stored and reported";
export const QUEUE_FULL =
  "operations/createJob/trial: trial_queue_full: more tasks of trials would be open than the setting allows; nothing is left behind";
export const READY =
  "operations/retrieveJobDownload: is ready once built, expires 24 hours later, and is signed anew on each call for 300 seconds";
export const RESULT =
  "operations/retrieveJobResult: gives the manifest and the assets of the tasks that succeeded, in the request's order";
export const SECOND_JOB =
  "operations/createJob/conflict: refuses a trial account a second job while one is under way, and names it";
export const STATES =
  "operations/retrieveJob: goes from queued over processing to success, without ever showing a mask";
export const SUCCESS =
  "operations/retrieveJob: ends in success when at least one task succeeded; each failed task carries its own error";
export const THRESHOLDS =
  "operations/createJob/accepted: gives the inference service the request's thresholds, 0.5 where it has none, and the limits of a picture";
export const UPLOAD =
  "operations/createUploadPresign: answers with uploadUrl, taskId, bucket and expiresIn in seconds, the signature's real life";
export const VIDEO_RESULT =
  "operations/retrieveJobResult: gives a video's manifest, asked for with %j: its counts, and what the request had";
export const VIDEO_KILLED =
  "e2e/video: gives tracked masks, a preview that plays and an archive, although everything was killed in the middle";
export const VIDEO_PREVIEW =
  "operations/retrieveJobResult: gives a video's preview as previewUrl, and as an asset behind its masks";
export const VIDEO_TASK =
  "jobs/video: tells the inference service what was asked for with %j, and the limits of a video";
export const VIDEO_UNITS =
  "jobs/ledger: settles the frames that a video %j had processed, %i, never more than were reserved, and meters them";
export const VIDEO_ZIP =
  "operations/retrieveJobDownload: holds a video's masks and preview under their keys, and its manifest with archive-relative references";
export const PROGRESS =
  "operations/retrieveJob: tells the share of a video's frames that are done, 1.00 only at its end; the body is as it was";
export const ZIP =
  "operations/retrieveJobDownload: holds every asset under its key, and the manifest with archive-relative references";
export const SUBSCRIPTIONS =
  "operations/getAccountOverview: tells the access of a subscription that is %s: billing %s, mode %s";
export const BLOCKED =
  "operations/getAccountOverview: tells a blocked account that it can create no jobs, but download";
