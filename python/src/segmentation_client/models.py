"""The service's objects, by their names in its reference."""

# Made by `npm run openapi` from the service's contract. Change it there.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Sequence, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias


class AcceptedJobTrial(TypedDict):
    """Remaining free trial, for an account that has one."""

    remainingTokens: int
    """Tokens left in the free trial."""
    expiresAt: str
    """ISO 8601 in UTC, with milliseconds."""


class AcceptedJob(TypedDict):
    jobId: str
    """The job's id."""
    type: JobType
    """Type of the job: images or a video."""
    totalItems: int
    """Number of tasks in the job."""
    trial: NotRequired[AcceptedJobTrial]
    """Remaining free trial, for an account that has one."""


class Account(TypedDict):
    accountId: str
    """The account's id."""
    email: str
    """The account's e-mail address."""
    emailVerified: bool
    """True if the address is verified."""
    image: Union[str, None]
    """The URL of the account's picture; null if it has none."""
    name: str
    """Without a name, the part of the e-mail address before the @."""
    status: Literal["active", "suspended"]
    """State of the account."""


class AccountAccess(TypedDict):
    """The account's rights, and the reason for them."""

    mode: Literal["paid", "trial", "blocked"]
    """Rights of the account: all, those of the trial, or none."""
    reason: Literal["paid_access", "trial_eligible", "trial_active", "trial_exhausted", "trial_expired", "billing_delinquent"]
    """Why the account has this mode."""
    canCreateJobs: bool
    """True if the account may create a job now."""
    videoAllowed: bool
    """True if the account may segment videos."""
    downloadsAllowed: bool
    """True if the account may request zips."""
    maxImageTasksPerJob: int
    """Maximum number of images per job."""
    maxActiveJobs: int
    """Maximum number of jobs in progress."""


class AccountBilling(TypedDict):
    """The payment provider's report. A field is absent until the provider has reported it."""

    accessStatus: NotRequired[Literal["allowed", "blocked"]]
    """`blocked` if no jobs may be created because of an overdue payment, else `allowed`."""
    currentPeriodEnd: NotRequired[str]
    """ISO 8601 in UTC, with milliseconds."""
    latestInvoiceStatus: NotRequired[str]
    """The latest invoice's status, in the payment provider's words."""
    stripeSubscriptionStatus: NotRequired[str]
    """The subscription's status, in the payment provider's words."""


class AccountOverview(TypedDict):
    tokenUsageLast24h: int
    """Images and frames that were processed in the last 24 hours."""
    billing: AccountBilling
    """The payment provider's report. A field is absent until the provider has reported it."""
    access: AccountAccess
    """The account's rights, and the reason for them."""
    trial: AccountTrial
    """The free trial. A token is one processed image or video frame. `consumedTokens` includes tokens reserved by
    jobs in progress.
    """


class AccountTrial(TypedDict):
    """The free trial. A token is one processed image or video frame. `consumedTokens` includes tokens reserved by
    jobs in progress.
    """

    offerVersion: str
    """Version of the trial's offer."""
    status: Literal["eligible", "active", "exhausted", "expired"]
    """State of the trial."""
    grantTokens: int
    """Tokens that the trial has in all."""
    consumedTokens: int
    """Tokens that are used or reserved."""
    remainingTokens: int
    """Tokens left in the free trial."""
    durationDays: int
    """For how many days the trial lasts."""
    startedAt: Union[str, None]
    """ISO 8601 in UTC, with milliseconds."""
    expiresAt: Union[str, None]
    """ISO 8601 in UTC, with milliseconds."""
    activeJobId: Union[str, None]
    """The trial's job in progress; null if there is none."""


class AccountUsage(TypedDict):
    days: list[UsageDay]
    """Every day of the period, earliest first."""


class AnnotatedObject(TypedDict):
    """A person's changes to an object."""

    id: str
    """`<jobId>/<maskIndex>` of a mask in a result, `<jobId>/<objectId>` of an object in a video's masks.json; for
    an object that a person added, an id of the client's choice.
    """
    classId: NotRequired[int]
    """Its class in `classes`. Absent if the object keeps its prompt or label, which is the class with that name."""
    hidden: NotRequired[bool]
    """True if a person has hidden it."""
    deleted: NotRequired[bool]
    """True if a person has deleted it."""
    accepted: NotRequired[bool]
    """True if a person has accepted it. No threshold hides an accepted object."""
    mask: NotRequired[AnnotationMask]
    """Its mask after editing, merging or drawing. Absent if it has the mask of the result."""
    recipe: NotRequired[str]
    """Steps that made the mask, in the client's notation, for its undo. The service does not read it."""


class AnnotatedTask(TypedDict):
    """A person's changes to a picture or video."""

    taskId: TaskId
    """One of the job's tasks."""
    fileName: NotRequired[str]
    """The name of the file."""
    width: NotRequired[int]
    """The picture's width in pixels, as viewers show it."""
    height: NotRequired[int]
    """The picture's height in pixels, as viewers show it."""
    verdict: NotRequired[Literal["accepted", "rejected"]]
    """The verdict of a review. Absent if there is none."""
    note: NotRequired[str]
    """A person's note."""
    thresholds: NotRequired[list[AnnotationThreshold]]
    """Thresholds of this picture, in place of the document's for the same prompts."""
    objects: list[AnnotatedObject]
    """The objects that a person has changed or added, each once."""


class AnnotationClass(TypedDict):
    """A class of objects."""

    id: int
    """The category's id in COCO. It stays with the class and is never given to another one."""
    name: str
    """The class's name, unlike those of the others even if letter case is ignored."""
    color: NotRequired[str]
    """The color of its objects, such as `#1b9e77`. Absent if none was chosen."""
    key: NotRequired[int]
    """The number key that selects the class, unlike those of the others. Absent if it has none."""


class AnnotationMask(TypedDict):
    """A mask in COCO's compressed run-length encoding, of its picture's size."""

    size: list[int]
    """Height, then width, in pixels."""
    counts: str
    """The runs, as pycocotools writes and reads them."""


class AnnotationThreshold(TypedDict):
    """The lowest confidence at which objects are shown."""

    prompt: NotRequired[str]
    """The prompt. Absent for all prompts without a separate threshold."""
    least: float
    """The lowest confidence that is shown."""


class AnnotationsDocument(TypedDict):
    """The work of people on a job's result: classes, verdicts, and changes to objects. At most 1 MiB as JSON."""

    format: Literal[1]
    """The version of this format."""
    classes: list[AnnotationClass]
    """The classes, in the order in which people see them."""
    nextClassId: int
    """The id of the next class: above those of all present and former ones."""
    searches: list[str]
    """Further jobs of this account whose objects belong with this job's, such as a search for another word. The
    service does not look them up.
    """
    thresholds: NotRequired[list[AnnotationThreshold]]
    """Thresholds of all pictures."""
    tasks: list[AnnotatedTask]
    """The pictures or the video, each at most once."""


class ApiKey(TypedDict):
    keyId: str
    """The key's id."""
    label: str
    """Name of the key."""
    prefix: str
    """The first characters of the secret, to distinguish keys."""
    revoked: bool
    """True if the key is revoked."""
    revokedAt: Union[str, None]
    """ISO 8601 in UTC, with milliseconds."""
    createdAt: str
    """ISO 8601 in UTC, with milliseconds."""
    updatedAt: str
    """ISO 8601 in UTC, with milliseconds."""


class ApiKeyList(TypedDict):
    items: list[ApiKey]
    """The items, in order; of a list, one page of them."""


class ArchiveDownload(TypedDict):
    jobId: str
    """The job's id."""
    status: ArchiveStatus
    """State of the archive."""
    expiresAt: Union[str, None]
    """Time at which the service deletes the archive."""
    downloadUrl: Union[str, None]
    """The signed URL of the zip once it is ready. Each response has a new one."""
    retryAfterSeconds: Union[int, None]
    """Seconds to wait before asking again; null once the archive is ready or has failed."""
    error: Union[str, None]
    """Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve;
    null if nothing is wrong.
    """


class ArchiveEventData(TypedDict):
    jobId: str
    """The job's id."""
    status: ArchiveStatus
    """State of the archive."""
    expiresAt: Union[str, None]
    """Time at which the service deletes the archive."""
    retryAfterSeconds: Union[int, None]
    """Seconds to wait before asking again; null once the archive is ready or has failed."""
    error: Union[str, None]
    """Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve;
    null if nothing is wrong.
    """


class BillingUrl(TypedDict):
    url: str
    """The page to open, at the payment provider."""


class ClipRegion(TypedDict):
    """Place of an object in a video, in pixels of its frames as viewers show them: a box around it, or points on
    it and outside it, at a time. The service tracks the object forward and backward from there.
    """

    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    timeSeconds: NotRequired[float]
    """Time in the video, as a browser's `currentTime`; 0 by default. The frame shown at that time is always
    processed.
    """
    box: NotRequired[Sequence[float]]
    """A box around the object: [x, y, width, height]."""
    points: NotRequired[Sequence[RegionPoint]]
    """Points on the object (label 1), at least one, and outside it (label 0)."""
    objectId: NotRequired[int]
    """Regions with the same number are the same object, pointed at several times: later ones correct its
    tracking. Without a number, a region is a separate object.
    """
    label: NotRequired[str]
    """Name of the object in COCO, YOLO and previews, up to 100 characters. The model does not search for it.
    Without a label, the name is `region`.
    """


class CompleteUploadRequestPart(TypedDict):
    partNumber: int
    """The part's number, from 1."""
    etag: str
    """The `ETag` that the storage has returned for the part."""


class CompleteUploadRequest(TypedDict):
    parts: Sequence[CompleteUploadRequestPart]
    """All parts, in the file's order."""


class CompletedUpload(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    size: int
    """The file's size in bytes."""


class CreateApiKeyRequest(TypedDict):
    label: str
    """Name of the key."""


class CreateShareRequest(TypedDict):
    further: NotRequired[Sequence[str]]
    """Further jobs of the same uploads whose results the link shows too, such as objects that were pointed at; at
    most 50.
    """
    expiresIn: NotRequired[int]
    """After how many seconds the link ends: from a minute to 30 days. It ends earlier if a job that it shows is
    deleted earlier; `expiresAt` of the answer says when.
    """
    showInputs: NotRequired[bool]
    """True if the link also shows the original uploads of tasks that succeeded. A picture's metadata may name the
    place and the camera.
    """
    showAnnotations: NotRequired[bool]
    """True if the link also shows the job's annotations, with their notes and file names. A link cannot change
    them.
    """


class CreateWebhookEndpointRequest(TypedDict):
    url: str
    """URL that receives the events: https, of a public host."""
    events: NotRequired[Union[Sequence[WebhookEventType], None]]
    """The types of events to send; null or absent for all, including types added later. A `test` is always sent."""
    description: NotRequired[Union[str, None]]
    """Only for you; the service does not use it."""


class CreatedApiKey(TypedDict):
    apiKey: ApiKey
    """The key, without its secret."""
    secret: NotRequired[str]
    """The key itself. It is shown only in this response."""
    secretUnavailable: bool
    """True in a replayed response, which does not contain the secret."""


class CreatedShare(TypedDict):
    share: Share
    """Shared result and the time at which its link ends."""
    token: str
    """Token of the link: send it as `Authorization: Bearer <token>`. Only this response has it."""
    url: Union[str, None]
    """The link: a page of the studio, with the token in its fragment, which browsers never send. Null if the
    service has no studio.
    """


class CreatedWebhookEndpoint(TypedDict):
    endpoint: WebhookEndpoint
    """The endpoint, without its secret."""
    secret: NotRequired[str]
    """The secret that signs: `whsec_` and base64 of the key. It is shown only in this response."""
    secretUnavailable: bool
    """True in a replayed response, which does not contain the secret."""


class ErrorObject(TypedDict):
    """The body of every error response."""

    error: str
    """A stable code for programs."""
    message: NotRequired[str]
    """The problem and its remedy."""
    remainingTokens: NotRequired[int]
    """Tokens left in the free trial."""
    requestedTokens: NotRequired[int]
    """Tokens that the refused job needs."""
    expiresAt: NotRequired[str]
    """Time at which the free trial ends or ended."""
    activeJobId: NotRequired[str]
    """The job in progress that blocks a new one."""
    upgradeUrl: NotRequired[str]
    """The page on which to upgrade or pay."""
    retryAfterSeconds: NotRequired[int]
    """Seconds to wait before trying again."""


class ImageJobRequest(TypedDict):
    type: Literal["image"]
    """Type of the job: images or a video."""
    prompts: NotRequired[Sequence[str]]
    """Words for the objects to find: one thing per prompt, such as `cup` and `spoon`. A prompt that lists several
    things, such as `cup, spoon`, is not split: the task's `error` says what was not looked for. A prompt that
    is repeated counts once. May be left out if each task has a region, or if `formats` has `embedding`.
    """
    regions: NotRequired[Sequence[Region]]
    """Objects to segment that need not be named: each region gives one mask, after those of the prompts."""
    tasks: Sequence[TaskId]
    """The taskIds of the uploaded images, each once."""
    generatePreview: NotRequired[bool]
    """If true, the result includes a preview: each image with its masks drawn on it."""
    threshold: NotRequired[float]
    """Objects with a lower confidence are left out."""
    maskThreshold: NotRequired[float]
    """Pixels with a lower probability are left out of the mask."""
    continues: NotRequired[str]
    """An earlier job of this account with all of this job's tasks. This job continues it, or the job that it
    continues itself. Both stay separate jobs; clients show them as one.
    """
    formats: NotRequired[Sequence[ImageFormat]]
    """Additional formats of the result: COCO annotations, YOLO labels, cut-outs with transparency, a map of
    labels, the picture's embedding. Each adds assets.
    """


class ImageManifestItemMask(TypedDict):
    maskIndex: int
    """The mask's place among the task's, from 0."""
    confidence: float
    """The model's confidence, 0 to 1."""
    url: str
    """The signed URL of the mask."""


class ImageManifestItem(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    inputId: str
    """The upload's id, like taskId."""
    units: int
    """Charged units: one for an image, one for each processed frame."""
    generatedAt: str
    """ISO 8601 in UTC, with milliseconds."""
    previewUrl: NotRequired[str]
    """The signed URL of the preview, if the job has one."""
    masks: list[ImageManifestItemMask]
    """The masks: by prompt, then by falling confidence; of a video, the URL of masks.json."""


class ImageManifest(TypedDict):
    """The tasks that succeeded, in the order of the request. Each mask is a single-channel PNG of the image's
    size, with values 0 and 255.
    """

    jobId: str
    """The job's id."""
    type: Literal["image"]
    """Type of the job: images or a video."""
    prompts: list[str]
    """The request's prompts, in order, each once."""
    items: list[ImageManifestItem]
    """The items, in order; of a list, one page of them."""


class ImportRequest(TypedDict):
    url: str
    """An https URL of a public host, without user name and password, that is not this service's own; at most
    2,048 characters.
    """


class ImportedUpload(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    contentType: str
    """The file's type by its first bytes, not as its source declared it."""
    size: int
    """The file's size in bytes."""


class InlinePicture(TypedDict):
    base64: str
    """The file's bytes in base64, up to 5 MB. Send a larger file in a form."""


class JobAnnotations(TypedDict):
    version: int
    """The version: 0 until the first change, then one more for each."""
    updatedAt: Union[str, None]
    """Time at which this version was saved; null for version 0."""
    document: AnnotationsDocument
    """The work of people on a job's result: classes, verdicts, and changes to objects. At most 1 MiB as JSON."""


class JobInputsInput(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    url: str
    """The signed URL of the upload."""
    expiresIn: int
    """For how many seconds the URL is valid."""


class JobInputs(TypedDict):
    inputs: list[JobInputsInput]
    """The job's uploads that are still kept, in the order of its tasks, with signed URLs; `expiresIn` is in
    seconds.
    """


class JobList(TypedDict):
    items: list[JobSummary]
    """The items, in order; of a list, one page of them."""
    nextToken: Union[str, None]
    """The cursor of the next page; null on the last one."""


class JobProgress(TypedDict):
    progress: float
    """The share of the job's work that is done, as the header `X-Job-Progress` has it."""


class JobResultAsset(TypedDict):
    key: str
    """The file's name among the job's: `masks/{taskId}/{index}.png`, for example."""
    url: str
    """The signed URL of the file."""
    expiresIn: int
    """For how many seconds the URL is valid."""


class JobResult(TypedDict):
    manifest: Manifest
    """Results, task by task."""
    assets: list[JobResultAsset]
    """All files of the result, by their keys. Each URL is signed."""
    expiresIn: int
    """For how many seconds the URL is valid."""


class JobStatusTask(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    status: Status
    """The state of a job or of one of its tasks. `success` and `failed` are final."""
    error: Union[str, None]
    """Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve;
    null if nothing is wrong.
    """


class JobStatus(TypedDict):
    jobId: str
    """The job's id."""
    type: JobType
    """Type of the job: images or a video."""
    processingMode: ProcessingMode
    """`single`: one image; `batch`: several; `video`: one video."""
    status: Status
    """The state of a job or of one of its tasks. `success` and `failed` are final."""
    totalItems: int
    """Number of tasks in the job."""
    createdAt: str
    """ISO 8601 in UTC, with milliseconds."""
    updatedAt: str
    """ISO 8601 in UTC, with milliseconds."""
    error: Union[str, None]
    """Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve;
    null if nothing is wrong.
    """
    tasks: list[JobStatusTask]
    """The tasks, in the order of the request."""
    continues: NotRequired[str]
    """The job to which this one adds, always the first of its uploads, which may have been deleted since. Absent
    if it adds to none. A client shows one entry for both.
    """
    prompts: NotRequired[list[str]]
    """The job's prompts. Only in the response of retrieveJob with `include=request`; absent if it has none."""
    refines: NotRequired[list[RefinedMask]]
    """The masks that its regions correct, in the order of the regions. Only in the response of retrieveJob with
    `include=request`; absent if they correct none.
    """


class JobSummary(TypedDict):
    jobId: str
    """The job's id."""
    type: JobType
    """Type of the job: images or a video."""
    processingMode: ProcessingMode
    """`single`: one image; `batch`: several; `video`: one video."""
    totalItems: int
    """Number of tasks in the job."""
    status: Status
    """The state of a job or of one of its tasks. `success` and `failed` are final."""
    createdAt: str
    """ISO 8601 in UTC, with milliseconds."""
    updatedAt: str
    """ISO 8601 in UTC, with milliseconds."""
    error: Union[str, None]
    """Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve;
    null if nothing is wrong.
    """
    continues: NotRequired[str]
    """The job to which this one adds, always the first of its uploads, which may have been deleted since. Absent
    if it adds to none. A client shows one entry for both.
    """


class ModelRegions(TypedDict):
    """The kinds of regions that the model segments."""

    box: bool
    """True if regions may be boxes."""
    points: bool
    """True if regions may be points."""
    clips: bool
    """True if it tracks the objects of a video's regions."""
    examples: bool
    """True if it finds all objects that look like that of a region with `findAll`; by points only if `points` is
    true too.
    """


class ModelInteractiveDecoder(TypedDict):
    """The decoder that draws masks from an embedding."""

    url: str
    """The URL of the ONNX file. It needs no credential, and its content never changes."""
    bytes: int
    """The file's size."""
    sha256: str
    """The file's SHA-256 in hex."""


class ModelInteractiveEmbedding(TypedDict):
    """The result format `embedding`."""

    format: int
    """The version of the file's format."""
    units: int
    """The cost of an embedding, per picture."""


class ModelInteractive(TypedDict):
    """The files with which a client draws masks itself. Absent if the model returns no embeddings, or its decoder
    is not in the bucket yet.
    """

    decoder: ModelInteractiveDecoder
    """The decoder that draws masks from an embedding."""
    embedding: ModelInteractiveEmbedding
    """The result format `embedding`."""


class Model(TypedDict):
    id: str
    """The model's name."""
    family: str
    """The kind of model: the adapter that runs it."""
    version: str
    """The model's version."""
    vocabulary: Union[Literal["open"], list[str]]
    """`open` if prompts may be any phrase; otherwise the labels that the model knows, for which prompts may also
    use synonyms.
    """
    attributes: bool
    """True if the model takes a prompt's attributes into account: `red` in `red car`."""
    regions: ModelRegions
    """The kinds of regions that the model segments."""
    video: bool
    """True if video jobs are possible."""
    formats: list[str]
    """The additional formats in which results are written if a job asks for them."""
    interactive: NotRequired[ModelInteractive]
    """The files with which a client draws masks itself. Absent if the model returns no embeddings, or its decoder
    is not in the bucket yet.
    """


class MultipartUploadPart(TypedDict):
    partNumber: int
    """The part's number, from 1."""
    size: int
    """Size of the part in bytes."""
    uploadUrl: str
    """PUT the part's bytes to this URL, and keep the `ETag` of the response."""


class MultipartUpload(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    parts: list[MultipartUploadPart]
    """All parts, in the file's order. None once the upload is complete."""
    expiresIn: int
    """For how many seconds the URLs are valid. Repeat the request with its Idempotency-Key for new ones."""


class MultipartUploadRequest(TypedDict):
    contentType: str
    """The file's MIME type: image/…, video/… or application/octet-stream, without parameters, in upper or lower
    case, at most 100 characters.
    """
    size: int
    """The file's size in bytes."""


class PictureAtUrl(TypedDict):
    url: str
    """An https URL of a public host, without user name and password, that is not this service's own; at most
    2,048 characters.
    """


class PictureRegion(TypedDict):
    """Place of an object in the picture, in pixels of the picture as viewers show it, its EXIF orientation
    applied: a box around it, or points on it and outside it.
    """

    box: NotRequired[Sequence[float]]
    """A box around the object: [x, y, width, height]."""
    points: NotRequired[Sequence[RegionPoint]]
    """Points on the object (label 1), at least one, and outside it (label 0)."""
    label: NotRequired[str]
    """Name of the object in COCO, YOLO and previews, up to 100 characters. The model does not search for it.
    Without a label, the name is `region`.
    """
    findAll: NotRequired[bool]
    """Finds every object of the picture that looks like this one, if `regions.examples` of the model is true: the
    region gives all their masks, with a confidence each, above the threshold. Regions with `findAll` and the
    same label are examples of one thing; the masks then belong to the first of them.
    """


class PresignRequest(TypedDict):
    contentType: str
    """The file's MIME type: image/…, video/… or application/octet-stream, without parameters, in upper or lower
    case, at most 100 characters.
    """
    size: NotRequired[int]
    """The file's size in bytes. The uploadUrl then takes a file of exactly this size, which counts as uploaded at
    once. Without it, the service learns the size after the upload.
    """


class RefinedMask(TypedDict):
    """A mask that is there already: the region's points or box correct it. A job without prompts whose regions
    all refine costs nothing for the first 20 such jobs of a picture, then a unit for each picture as usual.
    """

    jobId: str
    """A job of this account that has segmented the same picture, the same taskId."""
    maskIndex: int
    """The mask's `maskIndex` in that job's result."""


class Region(TypedDict):
    """Place of an object in a picture, in pixels of the picture as viewers show it, its EXIF orientation applied:
    a box around it, or points on it and outside it.
    """

    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    box: NotRequired[Sequence[float]]
    """A box around the object: [x, y, width, height]."""
    points: NotRequired[Sequence[RegionPoint]]
    """Points on the object (label 1), at least one, and outside it (label 0)."""
    label: NotRequired[str]
    """Name of the object in COCO, YOLO and previews, up to 100 characters. The model does not search for it.
    Without a label, the name is `region`.
    """
    refines: NotRequired[RefinedMask]
    """A mask that is there already: the region's points or box correct it. A job without prompts whose regions
    all refine costs nothing for the first 20 such jobs of a picture, then a unit for each picture as usual.
    """
    findAll: NotRequired[bool]
    """Finds every object of the picture that looks like this one, if `regions.examples` of the model is true: the
    region gives all their masks, with a confidence each, above the threshold. Regions with `findAll` and the
    same label are examples of one thing; the masks then belong to the first of them.
    """


class RegionPoint(TypedDict):
    x: float
    """Pixels from the left."""
    y: float
    """Pixels from the top."""
    label: Literal[1, 0]
    """1 on the object (foreground), 0 outside it (background)."""


class ReplaceJobAnnotationsRequest(TypedDict):
    document: AnnotationsDocument
    """The work of people on a job's result: classes, verdicts, and changes to objects. At most 1 MiB as JSON."""


class RevokedApiKey(TypedDict):
    apiKey: ApiKey
    """The key, without its secret."""


class RotatedWebhookSecret(TypedDict):
    endpoint: WebhookEndpoint
    """The endpoint, without its secret."""
    secret: str
    """The secret that signs: `whsec_` and base64 of the key. It is shown only in this response."""


class SavedAnnotations(TypedDict):
    version: int
    """The version: 0 until the first change, then one more for each."""
    updatedAt: Union[str, None]
    """Time at which this version was saved; null for version 0."""


class SegmentFormRequest(TypedDict):
    image: str
    """The picture's file."""
    prompt: NotRequired[Sequence[str]]
    """Words for the objects to find: one thing per field. Repeat it for further prompts."""
    region: NotRequired[Sequence[str]]
    """A region: `x,y` is a point on an object, `x,y;!x,y` has another one outside it, and `x,y,width,height` is a
    box. `saucer: 430,200` names it. Repeat it for further regions.
    """
    threshold: NotRequired[str]
    """A number: objects with a lower confidence are left out. 0.5 if it is left out."""
    maskThreshold: NotRequired[str]
    """A number: pixels with a lower probability are left out. 0.5 if it is left out."""
    generatePreview: NotRequired[str]
    """`true` for a preview."""
    rle: NotRequired[str]
    """`true` for run lengths."""


class SegmentRequest(TypedDict):
    image: Union[UploadedPicture, PictureAtUrl, InlinePicture]
    """The picture: an upload of this account, a public https URL, or the file's bytes."""
    prompts: NotRequired[Sequence[str]]
    """Words for the objects to find: one thing per prompt, such as `cup` and `spoon`. A prompt that lists several
    things, such as `cup, spoon`, is not split: the task's `error` says what was not looked for. A prompt that
    is repeated counts once. May be left out if there are regions.
    """
    regions: NotRequired[Sequence[PictureRegion]]
    """Objects to segment that need not be named: each region gives one mask, after those of the prompts."""
    threshold: NotRequired[float]
    """Objects with a lower confidence are left out."""
    maskThreshold: NotRequired[float]
    """Pixels with a lower probability are left out of the mask."""
    generatePreview: NotRequired[bool]
    """If true, the result includes a preview: each image with its masks drawn on it."""
    rle: NotRequired[bool]
    """If true, each object also has its mask as COCO's compressed run lengths."""


class SegmentationObjectRle(TypedDict):
    """The mask as COCO's compressed run lengths, if the request has `rle`."""

    size: list[int]
    """[height, width]."""
    counts: str
    """The run lengths, as pycocotools reads them."""


class SegmentationObject(TypedDict):
    index: int
    """The mask's `maskIndex` in the job's result."""
    prompt: NotRequired[str]
    """The prompt that found it."""
    label: NotRequired[str]
    """In place of `prompt`, the label of the region that it was drawn for; `region` without one."""
    confidence: float
    """The model's confidence, 0 to 1."""
    box: Union[list[float], None]
    """[x, y, width, height] in pixels; null if the mask is empty."""
    area: int
    """Number of pixels in the mask."""
    maskUrl: str
    """The signed URL of the mask, a PNG with values 0 and 255."""
    rle: NotRequired[SegmentationObjectRle]
    """The mask as COCO's compressed run lengths, if the request has `rle`."""


class Segmentation(TypedDict):
    jobId: str
    """The job's id."""
    width: int
    """The picture's width in pixels, its EXIF orientation applied."""
    height: int
    """The picture's height in pixels."""
    objects: list[SegmentationObject]
    """By prompt, then by falling confidence; then one for each region."""
    previewUrl: NotRequired[str]
    """The signed URL of the preview, if the job has one."""


class Share(TypedDict):
    """Shared result and the time at which its link ends."""

    jobId: str
    """The job that is shared."""
    further: list[str]
    """Further jobs of the same uploads whose results the link shows."""
    createdAt: str
    """ISO 8601 in UTC, with milliseconds."""
    expiresAt: str
    """Time at which the link ends, unless it is revoked before."""
    showInputs: bool
    """True if the link also shows the uploads of the tasks that succeeded."""
    showAnnotations: bool
    """True if the link also shows the job's annotations."""


class ShareList(TypedDict):
    items: list[Share]
    """The items, in order; of a list, one page of them."""


class SharedInputsInput(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    url: str
    """The signed URL of the upload."""
    expiresIn: int
    """For how many seconds the URL is valid."""


class SharedInputs(TypedDict):
    share: Share
    """Shared result and the time at which its link ends."""
    inputs: list[SharedInputsInput]
    """The uploads that the link shows, with signed URLs; `expiresIn` is in seconds. Uploads that have been
    deleted are not among them.
    """


class TestEventData(TypedDict):
    endpointId: str
    """The webhook endpoint's id."""


class UnfinishedSegmentation(TypedDict):
    jobId: str
    """The job's id."""


class UpdateWebhookEndpointRequest(TypedDict):
    url: NotRequired[str]
    """URL that receives the events: https, of a public host."""
    events: NotRequired[Union[Sequence[WebhookEventType], None]]
    """The types of events to send; null or absent for all, including types added later. A `test` is always sent."""
    description: NotRequired[Union[str, None]]
    """Only for you; the service does not use it."""
    disabled: NotRequired[bool]
    """True pauses deliveries, false resumes them. Meanwhile pending deliveries are kept as long as any other
    delivery.
    """


class Upload(TypedDict):
    uploadUrl: str
    """PUT the file to this URL, with the same Content-Type as in the request, and of the same size if that was
    given.
    """
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    bucket: str
    """The bucket that the file goes to."""
    expiresIn: int
    """For how many seconds uploadUrl is valid."""


class UploadedPicture(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""


class UsageDay(TypedDict):
    date: str
    """A day in UTC."""
    units: int
    """Pictures and processed frames of the jobs that ended on that day."""
    jobs: int
    """Number of jobs that ended on that day, including failed ones."""


class VideoJobRequest(TypedDict):
    type: Literal["video"]
    """Type of the job: images or a video."""
    prompts: NotRequired[Sequence[str]]
    """Words for the objects to find: one thing per prompt, such as `cup` and `spoon`. A prompt that lists several
    things, such as `cup, spoon`, is not split: the task's `error` says what was not looked for. A prompt that
    is repeated counts once. May be left out if there are regions.
    """
    regions: NotRequired[Sequence[ClipRegion]]
    """Up to 10 objects to track, with or without a name: each is tracked from its region until it is lost."""
    tasks: Sequence[TaskId]
    """The taskId of the uploaded video."""
    generatePreview: NotRequired[bool]
    """If true, the result includes a preview video with the masks drawn on it."""
    scoreThreshold: NotRequired[float]
    """Objects with a lower confidence are left out."""
    fps: NotRequired[float]
    """Frames to process per second of video. Cannot be combined with numFrames."""
    numFrames: NotRequired[int]
    """Number of frames to process in all. Cannot be combined with fps."""
    maxFrames: NotRequired[int]
    """The maximum number of frames to process."""
    continues: NotRequired[str]
    """An earlier job of this account with all of this job's tasks. This job continues it, or the job that it
    continues itself. Both stay separate jobs; clients show them as one.
    """
    formats: NotRequired[Sequence[VideoFormat]]
    """Additional formats of the result: COCO annotations of all frames, with each object's track."""


class VideoManifestItemCounts(TypedDict):
    """Numbers of frames and masks."""

    framesProcessed: int
    """Number of processed frames."""
    framesWithMasks: int
    """Number of processed frames with masks."""
    totalMasks: int
    """Number of masks."""


class VideoManifestItem(TypedDict):
    taskId: TaskId
    """The id of an upload: a lowercase UUID, a dot and a file extension."""
    inputId: str
    """The upload's id, like taskId."""
    units: int
    """Charged units: one for an image, one for each processed frame."""
    generatedAt: str
    """ISO 8601 in UTC, with milliseconds."""
    previewUrl: NotRequired[str]
    """The signed URL of the preview, if the job has one."""
    masks: str
    """The masks: by prompt, then by falling confidence; of a video, the URL of masks.json."""
    fps: NotRequired[float]
    """The request's frames per second."""
    numFrames: NotRequired[int]
    """The request's number of frames."""
    maxFrames: NotRequired[int]
    """The request's bound of frames."""
    scoreThreshold: float
    """The request's threshold of confidence."""
    counts: VideoManifestItemCounts
    """Numbers of frames and masks."""


class VideoManifest(TypedDict):
    """`masks` is the URL of masks.json, which lists every processed frame with each object's mask as a compressed
    COCO RLE. `fps`, `numFrames` and `maxFrames` are the values of the request.
    """

    jobId: str
    """The job's id."""
    type: Literal["video"]
    """Type of the job: images or a video."""
    prompts: list[str]
    """The request's prompts, in order, each once."""
    items: list[VideoManifestItem]
    """The items, in order; of a list, one page of them."""


class WebhookAttempt(TypedDict):
    attemptedAt: str
    """ISO 8601 in UTC, with milliseconds."""
    status: Union[int, None]
    """The response's status; null if there was none."""
    milliseconds: Union[int, None]
    """Duration of the attempt; null while it is in progress."""
    error: Union[Literal["timeout", "unreachable", "url_forbidden", "interrupted"], None]
    """Why there was no response. `timeout`: none within 15 seconds. `unreachable`: no connection.
    `url_forbidden`: the service does not send to this URL. `interrupted`: the service was interrupted; the
    request may have arrived.
    """


class WebhookDelivery(TypedDict):
    deliveryId: str
    """The header `webhook-id` of every attempt."""
    status: Literal["pending", "succeeded", "failed"]
    """`pending` until an attempt has succeeded or the last one has failed."""
    event: WebhookEvent
    """The body of the request that an endpoint receives. `data` is the job's status, or the archive without its
    URL; `timestamp` is when the event happened.
    """
    nextAttemptAt: Union[str, None]
    """Time of the next attempt; null once the delivery has ended. A disabled endpoint gets no attempts."""
    attempts: list[WebhookAttempt]
    """The attempts so far, earliest first."""


class WebhookDeliveryList(TypedDict):
    items: list[WebhookDelivery]
    """The items, in order; of a list, one page of them."""
    nextToken: Union[str, None]
    """The cursor of the next page; null on the last one."""


class WebhookEndpoint(TypedDict):
    endpointId: str
    """The webhook endpoint's id."""
    url: str
    """URL that receives the events."""
    events: Union[list[WebhookEventType], None]
    """The types of events that it receives; null for all."""
    description: Union[str, None]
    """The account's note about it; null if it has none."""
    disabled: bool
    """True if it is disabled: it receives no events."""
    disabledReason: Union[WebhookDisabledReason, None]
    """`by_account`: by PATCH. `gone`: the endpoint answered 410. `no_success`: nothing that was sent in five days
    succeeded. `secret_unreadable`: the operator has changed the service's own secret; rotate the endpoint's
    secret, then enable it.
    """
    disabledAt: Union[str, None]
    """ISO 8601 in UTC, with milliseconds."""
    createdAt: str
    """ISO 8601 in UTC, with milliseconds."""
    updatedAt: str
    """ISO 8601 in UTC, with milliseconds."""


class WebhookEndpointList(TypedDict):
    items: list[WebhookEndpoint]
    """The items, in order; of a list, one page of them."""


class WebhookEventJob(TypedDict):
    type: Literal["job.succeeded", "job.failed"]
    """Type of the event."""
    timestamp: str
    """ISO 8601 in UTC, with milliseconds."""
    data: JobStatus
    """Subject of the event: the job's status, or the archive."""


class WebhookEventArchive(TypedDict):
    type: Literal["archive.ready", "archive.failed"]
    """Type of the event."""
    timestamp: str
    """ISO 8601 in UTC, with milliseconds."""
    data: ArchiveEventData
    """Subject of the event: the job's status, or the archive."""


class WebhookEventTest(TypedDict):
    type: Literal["test"]
    """Type of the event."""
    timestamp: str
    """ISO 8601 in UTC, with milliseconds."""
    data: TestEventData
    """Subject of the event: the job's status, or the archive."""


class ImageJobOptions(TypedDict, total=False):
    generate_preview: bool
    """If true, the result includes a preview: each image with its masks drawn on it."""
    threshold: float
    """Objects with a lower confidence are left out."""
    mask_threshold: float
    """Pixels with a lower probability are left out of the mask."""
    continues: str
    """An earlier job of this account with all of this job's tasks. This job continues it, or the job that it
    continues itself. Both stay separate jobs; clients show them as one.
    """
    formats: Sequence[ImageFormat]
    """Additional formats of the result: COCO annotations, YOLO labels, cut-outs with transparency, a map of
    labels, the picture's embedding. Each adds assets.
    """


class VideoJobOptions(TypedDict, total=False):
    generate_preview: bool
    """If true, the result includes a preview video with the masks drawn on it."""
    score_threshold: float
    """Objects with a lower confidence are left out."""
    fps: float
    """Frames to process per second of video. Cannot be combined with numFrames."""
    num_frames: int
    """Number of frames to process in all. Cannot be combined with fps."""
    max_frames: int
    """The maximum number of frames to process."""
    continues: str
    """An earlier job of this account with all of this job's tasks. This job continues it, or the job that it
    continues itself. Both stay separate jobs; clients show them as one.
    """
    formats: Sequence[VideoFormat]
    """Additional formats of the result: COCO annotations of all frames, with each object's track."""


ArchiveStatus: TypeAlias = Literal["pending", "processing", "ready", "failed"]
CreateJobRequest: TypeAlias = Union["ImageJobRequest", "VideoJobRequest"]
ImageFormat: TypeAlias = Literal["coco", "yolo", "cutout", "labelmap", "embedding"]
JobEventData: TypeAlias = Union["JobStatus", "JobProgress"]
JobType: TypeAlias = Literal["image", "video"]
Manifest: TypeAlias = Union["ImageManifest", "VideoManifest"]
ProcessingMode: TypeAlias = Literal["single", "batch", "video"]
Status: TypeAlias = Literal["queued", "processing", "success", "failed"]
TaskId: TypeAlias = str
VideoFormat: TypeAlias = Literal["coco"]
WebhookDisabledReason: TypeAlias = Literal["by_account", "gone", "no_success", "secret_unreadable"]
WebhookEvent: TypeAlias = Union["WebhookEventJob", "WebhookEventArchive", "WebhookEventTest"]
WebhookEventType: TypeAlias = Literal["job.succeeded", "job.failed", "archive.ready", "archive.failed", "test"]
