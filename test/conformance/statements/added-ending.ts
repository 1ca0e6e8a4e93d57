import { ABSENT_JOB } from "../shared-proofs.ts";
import { section } from "../statement.ts";

/** Ending and forgetting: cancelJob, deleteJob, deleteUpload. */
export const ADDED_ENDING = [
  ...section(
    "A2",
    [
      "cancelJob: 200 with the job's status; each task that has not ended is failed with the error canceled.",
      "operations/cancelJob: fails each task that has not ended, stops its holder, and leaves the finished masks where they are",
      "operations/cancelJob: ends a job that is listed although its request was cut off, and that nobody has confirmed",
      "jobs/whole-job: agrees with a model of it after each event, whatever happens in whatever order",
    ],
    [
      "What runs is cancelled at the inference service, and finished masks stay.",
      "operations/cancelJob: fails each task that has not ended, stops its holder, and leaves the finished masks where they are",
    ],
    [
      "Units of tasks that did not succeed come back.",
      "operations/cancelJob: charges what has succeeded, and gives the units of all else back",
      "operations/cancelJob: of a job whose completion comes at once goes by what came first: %s",
    ],
    [
      "The job's own status follows the known rule: one success makes it success.",
      "unit/core/jobs/tasks: ends each task that has not ended, and takes nothing from those that have",
      "operations/cancelJob: ends a job of which nothing has succeeded as failed, for nothing",
    ],
    [
      "A job that has ended: 200, unchanged.",
      "operations/cancelJob: leaves a job that has ended as it is, however often",
    ],
    [
      "A completion that comes later is refused with lease_lost.",
      "operations/cancelJob: refuses what a holder reports later, and gives its tasks to nobody",
      "unit/core/jobs/tasks: makes a holder's later report come too late, and no claim possible",
    ],
    [
      "A cancelled or deleted job frees the account's limit of jobs in progress at once.",
      "operations/cancelJob: lets the account have its next job at once",
      "operations/deleteJob: lets the account have its next job at once",
    ],
    [
      "deleteJob: 204; a job that is under way is cancelled first.",
      "operations/deleteJob: cancels a job that is under way first: its holders stop, and what has not succeeded is not charged",
      "operations/deleteJob: leaves nothing at all of a job that nobody ever held",
      "operations/deleteJob: is gone if it is listed, although nobody has confirmed it",
      "operations/deleteJob: of a job whose completion comes at once charges by what came first: %s",
      "operations/deleteJob: and a claim at once leave no task to work on (deletion first: %s)",
    ],
    [
      "From then on 404 everywhere, also while the files can't be deleted; again: 404.",
      "operations/deleteJob: leaves nothing of a job with its results and its archive but what it used, at once for its account, soon in the bucket",
      "operations/deleteJob: is gone for its account also while its files can't be deleted, which go later",
      "operations/deleteJob: is answered only once the list has struck it: after a failure of the database the request may be repeated",
      "operations/deleteJob: of many at once deletes the job once",
      ABSENT_JOB,
    ],
    [
      "Outputs and archive are gone from the bucket soon after, also what is written late and an archive that is being built.",
      "operations/deleteJob: leaves nothing of a job with its results and its archive but what it used, at once for its account, soon in the bucket",
      "operations/deleteJob: is deleted once nobody can write any more: until then the object waits, and then it is forgotten",
      "operations/deleteJob: is deleted by the nightly look where the object has lost its alarm",
      "operations/deleteJob: stops its builder, and leaves neither archive nor upload",
      "operations/deleteJob: is done by the object itself if the request was not repeated, or everything was killed",
    ],
    [
      "The ledger keeps what a deleted job used.",
      "operations/deleteJob: leaves nothing of a job with its results and its archive but what it used, at once for its account, soon in the bucket",
      "operations/deleteJob: is answered likewise while the list still has the job, and its use stays settled",
    ],
    [
      "A repeated createJob with the Idempotency-Key of a deleted job gets the first answer, and makes no second job.",
      "operations/deleteJob: gets its first answer, and makes no second job",
      "operations/deleteJob: is answered likewise if the first answer was cut off and the job %s",
    ],
    [
      "deleteUpload: 204; the input is gone, also what its URL brings later.",
      "operations/deleteUpload: leaves nothing of an upload that a job could name: no later one, and its bytes are gone",
      "operations/deleteUpload: deletes also what its URL, or a PUT that is under way, brings after it, and forgets it a day after its presign",
      "operations/deleteUpload: is done by the inspection where the bucket can't be reached",
      "operations/deleteUpload: leaves the results of jobs that have used it",
    ],
    [
      "An unknown and a foreign upload are the same 404.",
      "operations/deleteUpload: answers a foreign, an unknown and a malformed taskId alike, byte for byte, and deletes nothing",
      "every-operation/tenancy: answers for another account's as for what is not there, byte for byte: %s",
    ],
    [
      "An upload that a job under way needs: 409 upload_in_use.",
      "operations/deleteUpload: upload_in_use: a job under way needs it, queued or processing, and it stays",
      "operations/deleteUpload: upload_in_use: of several jobs that name it, one is still under way",
      "operations/deleteUpload: takes an upload as soon as the jobs that needed it have ended, were cancelled or deleted",
      "operations/deleteUpload: that come at once end with one of the two: the job has its input, or there is none",
      "operations/deleteUpload: end so also where the job has found the upload there, and the deletion comes before it is listed",
    ],
    [
      "A deleted upload's place is free once its URL has expired, its bytes count for the day, and an account deletes only so many a day.",
      "operations/deleteUpload: gives the account its place for another upload back: at once, or when the upload's URL has expired",
      "operations/deleteUpload: gives no byte of the day back: what was uploaded counts, however soon it is deleted",
      "operations/deleteUpload: is refused no upload, but has only so many a day: their rows stay until nobody can write to them",
    ],
  ),
];
