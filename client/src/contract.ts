// Made by `npm run openapi` from the service's contract. Change it there.

/** Each operation's method and path, whether it takes a body, and whether its success is empty (204) or a stream of events. */
export const ROUTES = {
  segment: "POST /v1/segment body",
  createUploadPresign: "POST /v1/uploads/presign body",
  createMultipartUpload: "POST /v1/uploads/parts body",
  completeMultipartUpload: "POST /v1/uploads/{taskId}/complete body",
  importUpload: "POST /v1/uploads/import body",
  deleteUpload: "DELETE /v1/uploads/{taskId} empty",
  listJobs: "GET /v1/jobs",
  createJob: "POST /v1/jobs body",
  retrieveJob: "GET /v1/jobs/{jobId}",
  cancelJob: "POST /v1/jobs/{jobId}/cancel",
  deleteJob: "DELETE /v1/jobs/{jobId} empty",
  streamJobEvents: "GET /v1/jobs/{jobId}/events events",
  retrieveJobResult: "GET /v1/jobs/{jobId}/result",
  retrieveJobInputs: "GET /v1/jobs/{jobId}/inputs",
  retrieveJobAnnotations: "GET /v1/jobs/{jobId}/annotations",
  replaceJobAnnotations: "PUT /v1/jobs/{jobId}/annotations body",
  createJobDownload: "POST /v1/jobs/{jobId}/download",
  retrieveJobDownload: "GET /v1/jobs/{jobId}/download",
  listShares: "GET /v1/shares",
  createShare: "POST /v1/jobs/{jobId}/share body",
  retrieveShare: "GET /v1/jobs/{jobId}/share",
  revokeShare: "DELETE /v1/jobs/{jobId}/share empty",
  retrieveModel: "GET /v1/model",
  getAccount: "GET /v1/account",
  getAccountOverview: "GET /v1/account/overview",
  getAccountUsage: "GET /v1/account/usage",
  listApiKeys: "GET /v1/api-keys",
  createApiKey: "POST /v1/api-keys body",
  revokeApiKey: "DELETE /v1/api-keys/{keyId}",
  listWebhookEndpoints: "GET /v1/webhook-endpoints",
  createWebhookEndpoint: "POST /v1/webhook-endpoints body",
  retrieveWebhookEndpoint: "GET /v1/webhook-endpoints/{endpointId}",
  updateWebhookEndpoint: "PATCH /v1/webhook-endpoints/{endpointId} body",
  rotateWebhookSecret: "POST /v1/webhook-endpoints/{endpointId}/rotate-secret",
  testWebhookEndpoint: "POST /v1/webhook-endpoints/{endpointId}/test",
  listWebhookDeliveries: "GET /v1/webhook-endpoints/{endpointId}/deliveries",
  retryWebhookDelivery: "POST /v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/retry",
  deleteWebhookEndpoint: "DELETE /v1/webhook-endpoints/{endpointId} empty",
  createCheckout: "POST /v1/billing/checkout",
  createBillingPortal: "POST /v1/billing/portal",
} as const;

/** The keys of a job's assets by its type. A job asks in its `formats` for all but `masks` and `preview`. */
export const ASSETS = {
  image: {
    masks: "masks/{taskId}/{index}.png",
    preview: "preview/{taskId}.png",
    coco: "annotations/{taskId}.json",
    yolo: "labels/{taskId}.txt",
    cutout: "cutouts/{taskId}/{index}.png",
    labelmap: "labelmaps/{taskId}.png",
    embedding: "embeddings/{taskId}.bin",
  },
  video: {
    masks: "masks/{taskId}/masks.json",
    preview: "preview/{taskId}.mp4",
    coco: "annotations/{taskId}.json",
  },
} as const;

/** Limits of a request, and the number of free refinements of a picture's masks. */
export const LIMITS = {
  regions: 50,
  pointsPerRegion: 20,
  followedObjects: 10,
  freeRefinements: 20,
  furtherJobsPerShare: 50,
} as const;

/** The error codes of the service's answers. */
export type ApiErrorCode =
  | "Unauthorized"
  | "account_moving"
  | "active_job_exists"
  | "annotations_not_shared"
  | "annotations_refused"
  | "api_key_not_found"
  | "billing_not_configured"
  | "body_incomplete"
  | "body_too_large"
  | "daily_limit_reached"
  | "database_unavailable"
  | "download_not_requested"
  | "duplicate_task"
  | "email_unverified"
  | "enqueue_failed"
  | "idempotency_in_progress"
  | "idempotency_mismatch"
  | "identity_provider_unavailable"
  | "import_failed"
  | "import_type_unsupported"
  | "internal_error"
  | "invalid_cursor"
  | "invalid_idempotency_key"
  | "invalid_json"
  | "invalid_period"
  | "invalid_request"
  | "job_not_downloadable"
  | "job_not_found"
  | "job_not_ready"
  | "mask_not_found"
  | "method_not_allowed"
  | "model_unavailable"
  | "not_found"
  | "payment_provider_failed"
  | "payment_required"
  | "prompt_too_long"
  | "rate_limited"
  | "share_not_found"
  | "subscription_exists"
  | "task_not_continued"
  | "task_not_owned"
  | "task_type_mismatch"
  | "too_many_active_jobs"
  | "too_many_attempts"
  | "too_many_keys"
  | "too_many_prompts"
  | "too_many_secrets"
  | "too_many_shares"
  | "too_many_streams"
  | "too_many_uploads"
  | "too_many_webhook_endpoints"
  | "trial_exhausted"
  | "trial_expired"
  | "trial_format_unsupported"
  | "trial_insufficient"
  | "trial_limit_exceeded"
  | "trial_queue_full"
  | "trial_video_unsupported"
  | "unsupported_content_type"
  | "upload_in_use"
  | "upload_incomplete"
  | "upload_not_found"
  | "upload_too_large"
  | "url_forbidden"
  | "version_conflict"
  | "version_required"
  | "webhook_delivery_not_found"
  | "webhook_endpoint_disabled"
  | "webhook_endpoint_not_found";

/** The codes for a task's failure, or for the part of its result that it could not deliver. */
export type TaskProblemCode =
  | "all_tasks_failed"
  | "attempts_exhausted"
  | "canceled"
  | "disk_full"
  | "embedding_unsupported"
  | "engine_crashed"
  | "engine_timeout"
  | "examples_unsupported"
  | "formats_too_large"
  | "frame_too_large"
  | "frames_missing"
  | "hdr_not_converted"
  | "image_corrupt"
  | "image_empty"
  | "image_format_unsupported"
  | "image_too_many_pixels"
  | "image_truncated"
  | "inference_unavailable"
  | "input_changed"
  | "input_forbidden"
  | "input_not_found"
  | "input_redirected"
  | "input_too_large"
  | "input_unavailable"
  | "internal_error"
  | "masks_limited"
  | "model_output_invalid"
  | "not_an_image"
  | "output_grant_mismatch"
  | "output_grant_unavailable"
  | "output_redirected"
  | "output_refused"
  | "output_unavailable"
  | "preview_failed"
  | "prior_mask_unusable"
  | "prompt_outside_vocabulary"
  | "prompt_partly_served"
  | "region_outside_clip"
  | "region_outside_image"
  | "regions_unsupported"
  | "report_refused"
  | "storage_origin_refused"
  | "task_refused"
  | "too_many_frames"
  | "too_many_masks"
  | "video_codec_unsupported"
  | "video_crashed"
  | "video_encrypted"
  | "video_ends_early"
  | "video_format_unsupported"
  | "video_stalled"
  | "video_stream_missing"
  | "video_too_long"
  | "video_track_chosen"
  | "video_truncated"
  | "video_unavailable"
  | "video_unreadable";

/** The codes for an archive that could not be built. */
export type ArchiveProblemCode =
  | "archive_failed"
  | "archive_output_missing"
  | "archive_too_large"
  | "archive_too_many_files"
  | "archive_too_often";

export interface components {
    schemas: {
        /**
         * @example {
         *       "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "type": "image",
         *       "totalItems": 1
         *     }
         */
        AcceptedJob: {
            /** @description The job's id. */
            jobId: string;
            /** @description Type of the job: images or a video. */
            type: components["schemas"]["JobType"];
            /** @description Number of tasks in the job. */
            totalItems: number;
            /** @description Remaining free trial, for an account that has one. */
            trial?: {
                /** @description Tokens left in the free trial. */
                remainingTokens: number;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, with milliseconds.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                expiresAt: string;
            };
        };
        /**
         * @example {
         *       "accountId": "acct_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "email": "ada@example.com",
         *       "emailVerified": true,
         *       "image": null,
         *       "name": "Ada",
         *       "status": "active"
         *     }
         */
        Account: {
            /** @description The account's id. */
            accountId: string;
            /** @description The account's e-mail address. */
            email: string;
            /** @description True if the address is verified. */
            emailVerified: boolean;
            /** @description The URL of the account's picture; null if it has none. */
            image: string | null;
            /** @description Without a name, the part of the e-mail address before the @. */
            name: string;
            /**
             * @description State of the account.
             * @enum {string}
             */
            status: "active" | "suspended";
        };
        /** @description The account's rights, and the reason for them. */
        AccountAccess: {
            /**
             * @description Rights of the account: all, those of the trial, or none.
             * @enum {string}
             */
            mode: "paid" | "trial" | "blocked";
            /**
             * @description Why the account has this mode.
             * @enum {string}
             */
            reason: "paid_access" | "trial_eligible" | "trial_active" | "trial_exhausted" | "trial_expired" | "billing_delinquent";
            /** @description True if the account may create a job now. */
            canCreateJobs: boolean;
            /** @description True if the account may segment videos. */
            videoAllowed: boolean;
            /** @description True if the account may request zips. */
            downloadsAllowed: boolean;
            /** @description Maximum number of images per job. */
            maxImageTasksPerJob: number;
            /** @description Maximum number of jobs in progress. */
            maxActiveJobs: number;
        };
        /** @description The payment provider's report. A field is absent until the provider has reported it. */
        AccountBilling: {
            /**
             * @description `blocked` if no jobs may be created because of an overdue payment, else `allowed`.
             * @enum {string}
             */
            accessStatus?: "allowed" | "blocked";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            currentPeriodEnd?: string;
            /** @description The latest invoice's status, in the payment provider's words. */
            latestInvoiceStatus?: string;
            /** @description The subscription's status, in the payment provider's words. */
            stripeSubscriptionStatus?: string;
        };
        /**
         * @example {
         *       "tokenUsageLast24h": 3,
         *       "billing": {},
         *       "access": {
         *         "mode": "trial",
         *         "reason": "trial_active",
         *         "canCreateJobs": true,
         *         "videoAllowed": false,
         *         "downloadsAllowed": true,
         *         "maxImageTasksPerJob": 3,
         *         "maxActiveJobs": 1
         *       },
         *       "trial": {
         *         "offerVersion": "v1",
         *         "status": "active",
         *         "grantTokens": 100,
         *         "consumedTokens": 3,
         *         "remainingTokens": 97,
         *         "durationDays": 14,
         *         "startedAt": "2026-11-20T09:30:00.000Z",
         *         "expiresAt": "2026-12-04T09:30:00.000Z",
         *         "activeJobId": null
         *       }
         *     }
         */
        AccountOverview: {
            /** @description Images and frames that were processed in the last 24 hours. */
            tokenUsageLast24h: number;
            /** @description The payment provider's report. A field is absent until the provider has reported it. */
            billing: components["schemas"]["AccountBilling"];
            /** @description The account's rights, and the reason for them. */
            access: components["schemas"]["AccountAccess"];
            /** @description The free trial. A token is one processed image or video frame. `consumedTokens` includes tokens reserved by jobs in progress. */
            trial: components["schemas"]["AccountTrial"];
        };
        /** @description The free trial. A token is one processed image or video frame. `consumedTokens` includes tokens reserved by jobs in progress. */
        AccountTrial: {
            /** @description Version of the trial's offer. */
            offerVersion: string;
            /**
             * @description State of the trial.
             * @enum {string}
             */
            status: "eligible" | "active" | "exhausted" | "expired";
            /** @description Tokens that the trial has in all. */
            grantTokens: number;
            /** @description Tokens that are used or reserved. */
            consumedTokens: number;
            /** @description Tokens left in the free trial. */
            remainingTokens: number;
            /** @description For how many days the trial lasts. */
            durationDays: number;
            /** @description ISO 8601 in UTC, with milliseconds. */
            startedAt: string | null;
            /** @description ISO 8601 in UTC, with milliseconds. */
            expiresAt: string | null;
            /** @description The trial's job in progress; null if there is none. */
            activeJobId: string | null;
        };
        /**
         * @example {
         *       "days": [
         *         {
         *           "date": "2026-11-22",
         *           "units": 12,
         *           "jobs": 3
         *         }
         *       ]
         *     }
         */
        AccountUsage: {
            /** @description Every day of the period, earliest first. */
            days: components["schemas"]["UsageDay"][];
        };
        /** @description A person's changes to an object. */
        AnnotatedObject: {
            /** @description `<jobId>/<maskIndex>` of a mask in a result, `<jobId>/<objectId>` of an object in a video's masks.json; for an object that a person added, an id of the client's choice. */
            id: string;
            /** @description Its class in `classes`. Absent if the object keeps its prompt or label, which is the class with that name. */
            classId?: number;
            /** @description True if a person has hidden it. */
            hidden?: boolean;
            /** @description True if a person has deleted it. */
            deleted?: boolean;
            /** @description True if a person has accepted it. No threshold hides an accepted object. */
            accepted?: boolean;
            /** @description Its mask after editing, merging or drawing. Absent if it has the mask of the result. */
            mask?: components["schemas"]["AnnotationMask"];
            /** @description Steps that made the mask, in the client's notation, for its undo. The service does not read it. */
            recipe?: string;
        };
        /** @description A person's changes to a picture or video. */
        AnnotatedTask: {
            /** @description One of the job's tasks. */
            taskId: components["schemas"]["TaskId"];
            /** @description The name of the file. */
            fileName?: string;
            /** @description The picture's width in pixels, as viewers show it. */
            width?: number;
            /** @description The picture's height in pixels, as viewers show it. */
            height?: number;
            /**
             * @description The verdict of a review. Absent if there is none.
             * @enum {string}
             */
            verdict?: "accepted" | "rejected";
            /** @description A person's note. */
            note?: string;
            /** @description Thresholds of this picture, in place of the document's for the same prompts. */
            thresholds?: components["schemas"]["AnnotationThreshold"][];
            /** @description The objects that a person has changed or added, each once. */
            objects: components["schemas"]["AnnotatedObject"][];
        };
        /** @description A class of objects. */
        AnnotationClass: {
            /** @description The category's id in COCO. It stays with the class and is never given to another one. */
            id: number;
            /** @description The class's name, unlike those of the others even if letter case is ignored. */
            name: string;
            /** @description The color of its objects, such as `#1b9e77`. Absent if none was chosen. */
            color?: string;
            /** @description The number key that selects the class, unlike those of the others. Absent if it has none. */
            key?: number;
        };
        /** @description A mask in COCO's compressed run-length encoding, of its picture's size. */
        AnnotationMask: {
            /** @description Height, then width, in pixels. */
            size: [
                number,
                number
            ];
            /** @description The runs, as pycocotools writes and reads them. */
            counts: string;
        };
        /** @description The lowest confidence at which objects are shown. */
        AnnotationThreshold: {
            /** @description The prompt. Absent for all prompts without a separate threshold. */
            prompt?: string;
            /** @description The lowest confidence that is shown. */
            least: number;
        };
        /**
         * @description The work of people on a job's result: classes, verdicts, and changes to objects. At most 1 MiB as JSON.
         * @example {
         *       "format": 1,
         *       "classes": [
         *         {
         *           "id": 1,
         *           "name": "cat",
         *           "color": "#1b9e77",
         *           "key": 1
         *         }
         *       ],
         *       "nextClassId": 2,
         *       "searches": [],
         *       "tasks": [
         *         {
         *           "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *           "verdict": "accepted",
         *           "objects": [
         *             {
         *               "id": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21/0",
         *               "classId": 1
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        AnnotationsDocument: {
            /**
             * @description The version of this format.
             * @constant
             */
            format: 1;
            /** @description The classes, in the order in which people see them. */
            classes: components["schemas"]["AnnotationClass"][];
            /** @description The id of the next class: above those of all present and former ones. */
            nextClassId: number;
            /** @description Further jobs of this account whose objects belong with this job's, such as a search for another word. The service does not look them up. */
            searches: string[];
            /** @description Thresholds of all pictures. */
            thresholds?: components["schemas"]["AnnotationThreshold"][];
            /** @description The pictures or the video, each at most once. */
            tasks: components["schemas"]["AnnotatedTask"][];
        };
        /**
         * @example {
         *       "keyId": "key_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "label": "nightly batch",
         *       "prefix": "sk_live_4kQz",
         *       "revoked": false,
         *       "revokedAt": null,
         *       "createdAt": "2026-11-20T09:30:00.000Z",
         *       "updatedAt": "2026-11-20T09:30:00.000Z"
         *     }
         */
        ApiKey: {
            /** @description The key's id. */
            keyId: string;
            /** @description Name of the key. */
            label: string;
            /** @description The first characters of the secret, to distinguish keys. */
            prefix: string;
            /** @description True if the key is revoked. */
            revoked: boolean;
            /** @description ISO 8601 in UTC, with milliseconds. */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        ApiKeyList: {
            /** @description The items, in order; of a list, one page of them. */
            items: components["schemas"]["ApiKey"][];
        };
        /**
         * @example {
         *       "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "status": "pending",
         *       "expiresAt": null,
         *       "downloadUrl": null,
         *       "retryAfterSeconds": 2,
         *       "error": null
         *     }
         */
        ArchiveDownload: {
            /** @description The job's id. */
            jobId: string;
            /** @description State of the archive. */
            status: components["schemas"]["ArchiveStatus"];
            /** @description Time at which the service deletes the archive. */
            expiresAt: string | null;
            /** @description The signed URL of the zip once it is ready. Each response has a new one. */
            downloadUrl: string | null;
            /** @description Seconds to wait before asking again; null once the archive is ready or has failed. */
            retryAfterSeconds: number | null;
            /** @description Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve; null if nothing is wrong. */
            error: string | null;
        };
        ArchiveEventData: {
            /** @description The job's id. */
            jobId: string;
            /** @description State of the archive. */
            status: components["schemas"]["ArchiveStatus"];
            /** @description Time at which the service deletes the archive. */
            expiresAt: string | null;
            /** @description Seconds to wait before asking again; null once the archive is ready or has failed. */
            retryAfterSeconds: number | null;
            /** @description Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve; null if nothing is wrong. */
            error: string | null;
        };
        /** @enum {string} */
        ArchiveStatus: "pending" | "processing" | "ready" | "failed";
        /**
         * @example {
         *       "url": "https://checkout.stripe.com/c/pay/cs_live_a1"
         *     }
         */
        BillingUrl: {
            /**
             * Format: uri
             * @description The page to open, at the payment provider.
             */
            url: string;
        };
        /**
         * @description Place of an object in a video, in pixels of its frames as viewers show them: a box around it, or points on it and outside it, at a time. The service tracks the object forward and backward from there.
         * @example {
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4",
         *       "timeSeconds": 1.5,
         *       "points": [
         *         {
         *           "x": 100,
         *           "y": 90,
         *           "label": 1
         *         }
         *       ],
         *       "objectId": 1,
         *       "label": "camel"
         *     }
         */
        ClipRegion: {
            /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
            taskId: components["schemas"]["TaskId"];
            /** @description Time in the video, as a browser's `currentTime`; 0 by default. The frame shown at that time is always processed. */
            timeSeconds?: number;
            /**
             * @description A box around the object: [x, y, width, height].
             * @example [
             *       40,
             *       60,
             *       120,
             *       80
             *     ]
             */
            box?: [
                number,
                number,
                number,
                number
            ];
            /** @description Points on the object (label 1), at least one, and outside it (label 0). */
            points?: components["schemas"]["RegionPoint"][];
            /** @description Regions with the same number are the same object, pointed at several times: later ones correct its tracking. Without a number, a region is a separate object. */
            objectId?: number;
            /** @description Name of the object in COCO, YOLO and previews, up to 100 characters. The model does not search for it. Without a label, the name is `region`. */
            label?: string;
        };
        /**
         * @example {
         *       "parts": [
         *         {
         *           "partNumber": 1,
         *           "etag": "\"0cc175b9c0f1b6a831c399e269772661\""
         *         }
         *       ]
         *     }
         */
        CompleteUploadRequest: {
            /** @description All parts, in the file's order. */
            parts: {
                /** @description The part's number, from 1. */
                partNumber: number;
                /** @description The `ETag` that the storage has returned for the part. */
                etag: string;
            }[];
        };
        /**
         * @example {
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4",
         *       "size": 1200000000
         *     }
         */
        CompletedUpload: {
            /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
            taskId: components["schemas"]["TaskId"];
            /** @description The file's size in bytes. */
            size: number;
        };
        /**
         * @example {
         *       "label": "nightly batch"
         *     }
         */
        CreateApiKeyRequest: {
            /** @description Name of the key. */
            label: string;
        };
        CreateJobRequest: components["schemas"]["ImageJobRequest"] | components["schemas"]["VideoJobRequest"];
        /**
         * @example {
         *       "expiresIn": 86400,
         *       "showInputs": true
         *     }
         */
        CreateShareRequest: {
            /**
             * @description Further jobs of the same uploads whose results the link shows too, such as objects that were pointed at; at most 50.
             * @default []
             */
            further?: string[];
            /**
             * @description After how many seconds the link ends: from a minute to 30 days. It ends earlier if a job that it shows is deleted earlier; `expiresAt` of the answer says when.
             * @default 604800
             */
            expiresIn?: number;
            /**
             * @description True if the link also shows the original uploads of tasks that succeeded. A picture's metadata may name the place and the camera.
             * @default false
             */
            showInputs?: boolean;
            /**
             * @description True if the link also shows the job's annotations, with their notes and file names. A link cannot change them.
             * @default false
             */
            showAnnotations?: boolean;
        };
        /**
         * @example {
         *       "url": "https://example.com/webhooks/segmentation",
         *       "events": [
         *         "job.succeeded",
         *         "job.failed"
         *       ]
         *     }
         */
        CreateWebhookEndpointRequest: {
            /**
             * @description URL that receives the events: https, of a public host.
             * @example https://example.com/webhooks/segmentation
             */
            url: string;
            /**
             * @description The types of events to send; null or absent for all, including types added later. A `test` is always sent.
             * @example [
             *       "job.succeeded",
             *       "job.failed"
             *     ]
             */
            events?: components["schemas"]["WebhookEventType"][] | null;
            /**
             * @description Only for you; the service does not use it.
             * @example the shop's back end
             */
            description?: string | null;
        };
        CreatedApiKey: {
            /** @description The key, without its secret. */
            apiKey: components["schemas"]["ApiKey"];
            /** @description The key itself. It is shown only in this response. */
            secret?: string;
            /** @description True in a replayed response, which does not contain the secret. */
            secretUnavailable: boolean;
        };
        CreatedShare: {
            /** @description Shared result and the time at which its link ends. */
            share: components["schemas"]["Share"];
            /** @description Token of the link: send it as `Authorization: Bearer <token>`. Only this response has it. */
            token: string;
            /** @description The link: a page of the studio, with the token in its fragment, which browsers never send. Null if the service has no studio. */
            url: string | null;
        };
        CreatedWebhookEndpoint: {
            /** @description The endpoint, without its secret. */
            endpoint: components["schemas"]["WebhookEndpoint"];
            /** @description The secret that signs: `whsec_` and base64 of the key. It is shown only in this response. */
            secret?: string;
            /** @description True in a replayed response, which does not contain the secret. */
            secretUnavailable: boolean;
        };
        /** @description The body of every error response. */
        ErrorObject: {
            /** @description A stable code for programs. */
            error: string;
            /** @description The problem and its remedy. */
            message?: string;
            /** @description Tokens left in the free trial. */
            remainingTokens?: number;
            /** @description Tokens that the refused job needs. */
            requestedTokens?: number;
            /**
             * Format: date-time
             * @description Time at which the free trial ends or ended.
             */
            expiresAt?: string;
            /** @description The job in progress that blocks a new one. */
            activeJobId?: string;
            /**
             * Format: uri
             * @description The page on which to upgrade or pay.
             */
            upgradeUrl?: string;
            /** @description Seconds to wait before trying again. */
            retryAfterSeconds?: number;
        };
        /** @enum {string} */
        ImageFormat: "coco" | "yolo" | "cutout" | "labelmap" | "embedding";
        /**
         * @example {
         *       "type": "image",
         *       "prompts": [
         *         "cat",
         *         "chair"
         *       ],
         *       "tasks": [
         *         "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"
         *       ],
         *       "generatePreview": true
         *     }
         */
        ImageJobRequest: {
            /**
             * @description Type of the job: images or a video.
             * @constant
             */
            type: "image";
            /**
             * @description Words for the objects to find: one thing per prompt, such as `cup` and `spoon`. A prompt that lists several things, such as `cup, spoon`, is not split: the task's `error` says what was not looked for. A prompt that is repeated counts once. May be left out if each task has a region, or if `formats` has `embedding`.
             * @example [
             *       "cat",
             *       "chair"
             *     ]
             */
            prompts?: string[];
            /** @description Objects to segment that need not be named: each region gives one mask, after those of the prompts. */
            regions?: components["schemas"]["Region"][];
            /** @description The taskIds of the uploaded images, each once. */
            tasks: components["schemas"]["TaskId"][];
            /**
             * @description If true, the result includes a preview: each image with its masks drawn on it.
             * @default false
             */
            generatePreview?: boolean;
            /**
             * @description Objects with a lower confidence are left out.
             * @default 0.5
             */
            threshold?: number;
            /**
             * @description Pixels with a lower probability are left out of the mask.
             * @default 0.5
             */
            maskThreshold?: number;
            /** @description An earlier job of this account with all of this job's tasks. This job continues it, or the job that it continues itself. Both stay separate jobs; clients show them as one. */
            continues?: string;
            /** @description Additional formats of the result: COCO annotations, YOLO labels, cut-outs with transparency, a map of labels, the picture's embedding. Each adds assets. */
            formats?: components["schemas"]["ImageFormat"][];
        };
        /** @description The tasks that succeeded, in the order of the request. Each mask is a single-channel PNG of the image's size, with values 0 and 255. */
        ImageManifest: {
            /** @description The job's id. */
            jobId: string;
            /**
             * @description Type of the job: images or a video.
             * @constant
             */
            type: "image";
            /** @description The request's prompts, in order, each once. */
            prompts: string[];
            /** @description The items, in order; of a list, one page of them. */
            items: {
                /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
                taskId: components["schemas"]["TaskId"];
                /** @description The upload's id, like taskId. */
                inputId: string;
                /** @description Charged units: one for an image, one for each processed frame. */
                units: number;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, with milliseconds.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                generatedAt: string;
                /**
                 * Format: uri
                 * @description The signed URL of the preview, if the job has one.
                 */
                previewUrl?: string;
                /** @description The masks: by prompt, then by falling confidence; of a video, the URL of masks.json. */
                masks: {
                    /** @description The mask's place among the task's, from 0. */
                    maskIndex: number;
                    /** @description The model's confidence, 0 to 1. */
                    confidence: number;
                    /**
                     * Format: uri
                     * @description The signed URL of the mask.
                     */
                    url: string;
                }[];
            }[];
        };
        /**
         * @example {
         *       "url": "https://example.com/pictures/cat.jpg"
         *     }
         */
        ImportRequest: {
            /**
             * @description An https URL of a public host, without user name and password, that is not this service's own; at most 2,048 characters.
             * @example https://example.com/pictures/cat.jpg
             */
            url: string;
        };
        /**
         * @example {
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *       "contentType": "image/jpeg",
         *       "size": 184320
         *     }
         */
        ImportedUpload: {
            /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
            taskId: components["schemas"]["TaskId"];
            /** @description The file's type by its first bytes, not as its source declared it. */
            contentType: string;
            /** @description The file's size in bytes. */
            size: number;
        };
        InlinePicture: {
            /** @description The file's bytes in base64, up to 5 MB. Send a larger file in a form. */
            base64: string;
        };
        JobAnnotations: {
            /** @description The version: 0 until the first change, then one more for each. */
            version: number;
            /** @description Time at which this version was saved; null for version 0. */
            updatedAt: string | null;
            /** @description The work of people on a job's result: classes, verdicts, and changes to objects. At most 1 MiB as JSON. */
            document: components["schemas"]["AnnotationsDocument"];
        };
        /** @description The data of one event: of `status` and `end` the job's status, of `progress` the share of its work that is done. */
        JobEventData: components["schemas"]["JobStatus"] | components["schemas"]["JobProgress"];
        JobInputs: {
            /** @description The job's uploads that are still kept, in the order of its tasks, with signed URLs; `expiresIn` is in seconds. */
            inputs: {
                /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
                taskId: components["schemas"]["TaskId"];
                /**
                 * Format: uri
                 * @description The signed URL of the upload.
                 */
                url: string;
                /** @description For how many seconds the URL is valid. */
                expiresIn: number;
            }[];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *           "type": "image",
         *           "processingMode": "single",
         *           "totalItems": 1,
         *           "status": "success",
         *           "createdAt": "2026-11-20T09:30:00.000Z",
         *           "updatedAt": "2026-11-20T09:30:04.000Z",
         *           "error": null
         *         }
         *       ],
         *       "nextToken": null
         *     }
         */
        JobList: {
            /** @description The items, in order; of a list, one page of them. */
            items: components["schemas"]["JobSummary"][];
            /** @description The cursor of the next page; null on the last one. */
            nextToken: string | null;
        };
        /**
         * @example {
         *       "progress": 0.42
         *     }
         */
        JobProgress: {
            /** @description The share of the job's work that is done, as the header `X-Job-Progress` has it. */
            progress: number;
        };
        /**
         * @example {
         *       "manifest": {
         *         "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *         "type": "image",
         *         "prompts": [
         *           "cat"
         *         ],
         *         "items": [
         *           {
         *             "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *             "inputId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *             "units": 1,
         *             "generatedAt": "2026-11-20T09:30:03.000Z",
         *             "masks": [
         *               {
         *                 "maskIndex": 0,
         *                 "confidence": 0.93,
         *                 "url": "https://storage.example.com/masks/0.png?X-Amz-Signature=0f"
         *               }
         *             ]
         *           }
         *         ]
         *       },
         *       "assets": [
         *         {
         *           "key": "masks/3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg/0.png",
         *           "url": "https://storage.example.com/masks/0.png?X-Amz-Signature=0f",
         *           "expiresIn": 900
         *         }
         *       ],
         *       "expiresIn": 900
         *     }
         */
        JobResult: {
            /** @description Results, task by task. */
            manifest: components["schemas"]["Manifest"];
            /** @description All files of the result, by their keys. Each URL is signed. */
            assets: {
                /** @description The file's name among the job's: `masks/{taskId}/{index}.png`, for example. */
                key: string;
                /**
                 * Format: uri
                 * @description The signed URL of the file.
                 */
                url: string;
                /** @description For how many seconds the URL is valid. */
                expiresIn: number;
            }[];
            /** @description For how many seconds the URL is valid. */
            expiresIn: number;
        };
        /**
         * @example {
         *       "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "type": "image",
         *       "processingMode": "single",
         *       "status": "processing",
         *       "totalItems": 1,
         *       "createdAt": "2026-11-20T09:30:00.000Z",
         *       "updatedAt": "2026-11-20T09:30:01.000Z",
         *       "error": null,
         *       "tasks": [
         *         {
         *           "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *           "status": "processing",
         *           "error": null
         *         }
         *       ]
         *     }
         */
        JobStatus: {
            /** @description The job's id. */
            jobId: string;
            /** @description Type of the job: images or a video. */
            type: components["schemas"]["JobType"];
            /** @description `single`: one image; `batch`: several; `video`: one video. */
            processingMode: components["schemas"]["ProcessingMode"];
            /** @description The state of a job or of one of its tasks. `success` and `failed` are final. */
            status: components["schemas"]["Status"];
            /** @description Number of tasks in the job. */
            totalItems: number;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
            /** @description Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve; null if nothing is wrong. */
            error: string | null;
            /** @description The tasks, in the order of the request. */
            tasks: {
                /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
                taskId: components["schemas"]["TaskId"];
                /** @description The state of a job or of one of its tasks. `success` and `failed` are final. */
                status: components["schemas"]["Status"];
                /** @description Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve; null if nothing is wrong. */
                error: string | null;
            }[];
            /** @description The job to which this one adds, always the first of its uploads, which may have been deleted since. Absent if it adds to none. A client shows one entry for both. */
            continues?: string;
            /** @description The job's prompts. Only in the response of retrieveJob with `include=request`; absent if it has none. */
            prompts?: string[];
            /** @description The masks that its regions correct, in the order of the regions. Only in the response of retrieveJob with `include=request`; absent if they correct none. */
            refines?: components["schemas"]["RefinedMask"][];
        };
        JobSummary: {
            /** @description The job's id. */
            jobId: string;
            /** @description Type of the job: images or a video. */
            type: components["schemas"]["JobType"];
            /** @description `single`: one image; `batch`: several; `video`: one video. */
            processingMode: components["schemas"]["ProcessingMode"];
            /** @description Number of tasks in the job. */
            totalItems: number;
            /** @description The state of a job or of one of its tasks. `success` and `failed` are final. */
            status: components["schemas"]["Status"];
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
            /** @description Why it failed: a code, a colon and a sentence. Of a task that succeeded, which prompts it could not serve; null if nothing is wrong. */
            error: string | null;
            /** @description The job to which this one adds, always the first of its uploads, which may have been deleted since. Absent if it adds to none. A client shows one entry for both. */
            continues?: string;
        };
        /** @enum {string} */
        JobType: "image" | "video";
        Manifest: components["schemas"]["ImageManifest"] | components["schemas"]["VideoManifest"];
        /**
         * @example {
         *       "id": "builtin",
         *       "family": "builtin",
         *       "version": "1.1.0",
         *       "vocabulary": [
         *         "person",
         *         "bicycle",
         *         "car"
         *       ],
         *       "attributes": false,
         *       "regions": {
         *         "box": true,
         *         "points": true,
         *         "clips": true,
         *         "examples": false
         *       },
         *       "video": true,
         *       "formats": [
         *         "coco",
         *         "yolo",
         *         "cutout",
         *         "labelmap",
         *         "embedding"
         *       ]
         *     }
         */
        Model: {
            /** @description The model's name. */
            id: string;
            /** @description The kind of model: the adapter that runs it. */
            family: string;
            /** @description The model's version. */
            version: string;
            /** @description `open` if prompts may be any phrase; otherwise the labels that the model knows, for which prompts may also use synonyms. */
            vocabulary: "open" | string[];
            /** @description True if the model takes a prompt's attributes into account: `red` in `red car`. */
            attributes: boolean;
            /** @description The kinds of regions that the model segments. */
            regions: {
                /** @description True if regions may be boxes. */
                box: boolean;
                /** @description True if regions may be points. */
                points: boolean;
                /** @description True if it tracks the objects of a video's regions. */
                clips: boolean;
                /** @description True if it finds all objects that look like that of a region with `findAll`; by points only if `points` is true too. */
                examples: boolean;
            };
            /** @description True if video jobs are possible. */
            video: boolean;
            /** @description The additional formats in which results are written if a job asks for them. */
            formats: string[];
            /** @description The files with which a client draws masks itself. Absent if the model returns no embeddings, or its decoder is not in the bucket yet. */
            interactive?: {
                /** @description The decoder that draws masks from an embedding. */
                decoder: {
                    /**
                     * Format: uri
                     * @description The URL of the ONNX file. It needs no credential, and its content never changes.
                     */
                    url: string;
                    /** @description The file's size. */
                    bytes: number;
                    /** @description The file's SHA-256 in hex. */
                    sha256: string;
                };
                /** @description The result format `embedding`. */
                embedding: {
                    /** @description The version of the file's format. */
                    format: number;
                    /** @description The cost of an embedding, per picture. */
                    units: number;
                };
            };
        };
        /**
         * @example {
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4",
         *       "parts": [
         *         {
         *           "partNumber": 1,
         *           "size": 8388608,
         *           "uploadUrl": "https://storage.example.com/segmentation-media/inputs/a/b?partNumber=1&uploadId=c&X-Amz-Signature=0f"
         *         }
         *       ],
         *       "expiresIn": 3600
         *     }
         */
        MultipartUpload: {
            /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
            taskId: components["schemas"]["TaskId"];
            /** @description All parts, in the file's order. None once the upload is complete. */
            parts: {
                /** @description The part's number, from 1. */
                partNumber: number;
                /** @description Size of the part in bytes. */
                size: number;
                /**
                 * Format: uri
                 * @description PUT the part's bytes to this URL, and keep the `ETag` of the response.
                 */
                uploadUrl: string;
            }[];
            /** @description For how many seconds the URLs are valid. Repeat the request with its Idempotency-Key for new ones. */
            expiresIn: number;
        };
        /**
         * @example {
         *       "contentType": "video/mp4",
         *       "size": 1200000000
         *     }
         */
        MultipartUploadRequest: {
            /** @description The file's MIME type: image/…, video/… or application/octet-stream, without parameters, in upper or lower case, at most 100 characters. */
            contentType: string;
            /** @description The file's size in bytes. */
            size: number;
        };
        PictureAtUrl: {
            /**
             * @description An https URL of a public host, without user name and password, that is not this service's own; at most 2,048 characters.
             * @example https://example.com/pictures/cat.jpg
             */
            url: string;
        };
        /**
         * @description Place of an object in the picture, in pixels of the picture as viewers show it, its EXIF orientation applied: a box around it, or points on it and outside it.
         * @example {
         *       "box": [
         *         40,
         *         60,
         *         120,
         *         80
         *       ],
         *       "label": "cup"
         *     }
         * @example {
         *       "points": [
         *         {
         *           "x": 100,
         *           "y": 90,
         *           "label": 1
         *         }
         *       ]
         *     }
         */
        PictureRegion: {
            /**
             * @description A box around the object: [x, y, width, height].
             * @example [
             *       40,
             *       60,
             *       120,
             *       80
             *     ]
             */
            box?: [
                number,
                number,
                number,
                number
            ];
            /** @description Points on the object (label 1), at least one, and outside it (label 0). */
            points?: components["schemas"]["RegionPoint"][];
            /** @description Name of the object in COCO, YOLO and previews, up to 100 characters. The model does not search for it. Without a label, the name is `region`. */
            label?: string;
            /** @description Finds every object of the picture that looks like this one, if `regions.examples` of the model is true: the region gives all their masks, with a confidence each, above the threshold. Regions with `findAll` and the same label are examples of one thing; the masks then belong to the first of them. */
            findAll?: boolean;
        };
        /**
         * @example {
         *       "contentType": "image/jpeg",
         *       "size": 184320
         *     }
         */
        PresignRequest: {
            /** @description The file's MIME type: image/…, video/… or application/octet-stream, without parameters, in upper or lower case, at most 100 characters. */
            contentType: string;
            /** @description The file's size in bytes. The uploadUrl then takes a file of exactly this size, which counts as uploaded at once. Without it, the service learns the size after the upload. */
            size?: number;
        };
        /**
         * @description `single`: one image; `batch`: several; `video`: one video.
         * @enum {string}
         */
        ProcessingMode: "single" | "batch" | "video";
        /**
         * @description A mask that is there already: the region's points or box correct it. A job without prompts whose regions all refine costs nothing for the first 20 such jobs of a picture, then a unit for each picture as usual.
         * @example {
         *       "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "maskIndex": 0
         *     }
         */
        RefinedMask: {
            /** @description A job of this account that has segmented the same picture, the same taskId. */
            jobId: string;
            /** @description The mask's `maskIndex` in that job's result. */
            maskIndex: number;
        };
        /**
         * @description Place of an object in a picture, in pixels of the picture as viewers show it, its EXIF orientation applied: a box around it, or points on it and outside it.
         * @example {
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *       "box": [
         *         40,
         *         60,
         *         120,
         *         80
         *       ],
         *       "label": "cup"
         *     }
         * @example {
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *       "points": [
         *         {
         *           "x": 100,
         *           "y": 90,
         *           "label": 1
         *         }
         *       ]
         *     }
         * @example {
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *       "points": [
         *         {
         *           "x": 100,
         *           "y": 90,
         *           "label": 1
         *         }
         *       ],
         *       "refines": {
         *         "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *         "maskIndex": 0
         *       }
         *     }
         */
        Region: {
            /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
            taskId: components["schemas"]["TaskId"];
            /**
             * @description A box around the object: [x, y, width, height].
             * @example [
             *       40,
             *       60,
             *       120,
             *       80
             *     ]
             */
            box?: [
                number,
                number,
                number,
                number
            ];
            /** @description Points on the object (label 1), at least one, and outside it (label 0). */
            points?: components["schemas"]["RegionPoint"][];
            /** @description Name of the object in COCO, YOLO and previews, up to 100 characters. The model does not search for it. Without a label, the name is `region`. */
            label?: string;
            /** @description A mask that is there already: the region's points or box correct it. A job without prompts whose regions all refine costs nothing for the first 20 such jobs of a picture, then a unit for each picture as usual. */
            refines?: components["schemas"]["RefinedMask"];
            /** @description Finds every object of the picture that looks like this one, if `regions.examples` of the model is true: the region gives all their masks, with a confidence each, above the threshold. Regions with `findAll` and the same label are examples of one thing; the masks then belong to the first of them. */
            findAll?: boolean;
        };
        /**
         * @example {
         *       "x": 100,
         *       "y": 90,
         *       "label": 1
         *     }
         */
        RegionPoint: {
            /** @description Pixels from the left. */
            x: number;
            /** @description Pixels from the top. */
            y: number;
            /**
             * @description 1 on the object (foreground), 0 outside it (background).
             * @enum {number}
             */
            label: 1 | 0;
        };
        /**
         * @example {
         *       "document": {
         *         "format": 1,
         *         "classes": [
         *           {
         *             "id": 1,
         *             "name": "cat",
         *             "color": "#1b9e77",
         *             "key": 1
         *           }
         *         ],
         *         "nextClassId": 2,
         *         "searches": [],
         *         "tasks": []
         *       }
         *     }
         */
        ReplaceJobAnnotationsRequest: {
            /** @description The work of people on a job's result: classes, verdicts, and changes to objects. At most 1 MiB as JSON. */
            document: components["schemas"]["AnnotationsDocument"];
        };
        RevokedApiKey: {
            /** @description The key, without its secret. */
            apiKey: components["schemas"]["ApiKey"];
        };
        RotatedWebhookSecret: {
            /** @description The endpoint, without its secret. */
            endpoint: components["schemas"]["WebhookEndpoint"];
            /** @description The secret that signs: `whsec_` and base64 of the key. It is shown only in this response. */
            secret: string;
        };
        SavedAnnotations: {
            /** @description The version: 0 until the first change, then one more for each. */
            version: number;
            /** @description Time at which this version was saved; null for version 0. */
            updatedAt: string | null;
        };
        SegmentFormRequest: {
            /**
             * Format: binary
             * @description The picture's file.
             */
            image: string;
            /** @description Words for the objects to find: one thing per field. Repeat it for further prompts. */
            prompt?: string[];
            /**
             * @description A region: `x,y` is a point on an object, `x,y;!x,y` has another one outside it, and `x,y,width,height` is a box. `saucer: 430,200` names it. Repeat it for further regions.
             * @example [
             *       "saucer: 430,200",
             *       "40,60,120,80"
             *     ]
             */
            region?: string[];
            /** @description A number: objects with a lower confidence are left out. 0.5 if it is left out. */
            threshold?: string;
            /** @description A number: pixels with a lower probability are left out. 0.5 if it is left out. */
            maskThreshold?: string;
            /** @description `true` for a preview. */
            generatePreview?: string;
            /** @description `true` for run lengths. */
            rle?: string;
        };
        /**
         * @example {
         *       "image": {
         *         "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"
         *       },
         *       "prompts": [
         *         "cat",
         *         "chair"
         *       ]
         *     }
         */
        SegmentRequest: {
            /** @description The picture: an upload of this account, a public https URL, or the file's bytes. */
            image: components["schemas"]["UploadedPicture"] | components["schemas"]["PictureAtUrl"] | components["schemas"]["InlinePicture"];
            /**
             * @description Words for the objects to find: one thing per prompt, such as `cup` and `spoon`. A prompt that lists several things, such as `cup, spoon`, is not split: the task's `error` says what was not looked for. A prompt that is repeated counts once. May be left out if there are regions.
             * @example [
             *       "cat",
             *       "chair"
             *     ]
             */
            prompts?: string[];
            /** @description Objects to segment that need not be named: each region gives one mask, after those of the prompts. */
            regions?: components["schemas"]["PictureRegion"][];
            /**
             * @description Objects with a lower confidence are left out.
             * @default 0.5
             */
            threshold?: number;
            /**
             * @description Pixels with a lower probability are left out of the mask.
             * @default 0.5
             */
            maskThreshold?: number;
            /**
             * @description If true, the result includes a preview: each image with its masks drawn on it.
             * @default false
             */
            generatePreview?: boolean;
            /**
             * @description If true, each object also has its mask as COCO's compressed run lengths.
             * @default false
             */
            rle?: boolean;
        };
        /**
         * @example {
         *       "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "width": 640,
         *       "height": 480,
         *       "objects": [
         *         {
         *           "index": 0,
         *           "prompt": "cat",
         *           "confidence": 0.93,
         *           "box": [
         *             40,
         *             60,
         *             120,
         *             80
         *           ],
         *           "area": 7204,
         *           "maskUrl": "https://storage.example.com/masks/0.png?X-Amz-Signature=0f"
         *         }
         *       ]
         *     }
         */
        Segmentation: {
            /** @description The job's id. */
            jobId: string;
            /** @description The picture's width in pixels, its EXIF orientation applied. */
            width: number;
            /** @description The picture's height in pixels. */
            height: number;
            /** @description By prompt, then by falling confidence; then one for each region. */
            objects: {
                /** @description The mask's `maskIndex` in the job's result. */
                index: number;
                /** @description The prompt that found it. */
                prompt?: string;
                /** @description In place of `prompt`, the label of the region that it was drawn for; `region` without one. */
                label?: string;
                /** @description The model's confidence, 0 to 1. */
                confidence: number;
                /** @description [x, y, width, height] in pixels; null if the mask is empty. */
                box: [
                    number,
                    number,
                    number,
                    number
                ] | null;
                /** @description Number of pixels in the mask. */
                area: number;
                /**
                 * Format: uri
                 * @description The signed URL of the mask, a PNG with values 0 and 255.
                 */
                maskUrl: string;
                /** @description The mask as COCO's compressed run lengths, if the request has `rle`. */
                rle?: {
                    /** @description [height, width]. */
                    size: [
                        number,
                        number
                    ];
                    /** @description The run lengths, as pycocotools reads them. */
                    counts: string;
                };
            }[];
            /**
             * Format: uri
             * @description The signed URL of the preview, if the job has one.
             */
            previewUrl?: string;
        };
        /**
         * @description Shared result and the time at which its link ends.
         * @example {
         *       "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "further": [],
         *       "createdAt": "2026-11-20T09:30:00.000Z",
         *       "expiresAt": "2026-11-21T09:30:00.000Z",
         *       "showInputs": true,
         *       "showAnnotations": false
         *     }
         */
        Share: {
            /** @description The job that is shared. */
            jobId: string;
            /** @description Further jobs of the same uploads whose results the link shows. */
            further: string[];
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time at which the link ends, unless it is revoked before.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAt: string;
            /** @description True if the link also shows the uploads of the tasks that succeeded. */
            showInputs: boolean;
            /** @description True if the link also shows the job's annotations. */
            showAnnotations: boolean;
        };
        ShareList: {
            /** @description The items, in order; of a list, one page of them. */
            items: components["schemas"]["Share"][];
        };
        SharedInputs: {
            /** @description Shared result and the time at which its link ends. */
            share: components["schemas"]["Share"];
            /** @description The uploads that the link shows, with signed URLs; `expiresIn` is in seconds. Uploads that have been deleted are not among them. */
            inputs: {
                /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
                taskId: components["schemas"]["TaskId"];
                /**
                 * Format: uri
                 * @description The signed URL of the upload.
                 */
                url: string;
                /** @description For how many seconds the URL is valid. */
                expiresIn: number;
            }[];
        };
        /**
         * @description The state of a job or of one of its tasks. `success` and `failed` are final.
         * @enum {string}
         */
        Status: "queued" | "processing" | "success" | "failed";
        /**
         * @description The id of an upload: a lowercase UUID, a dot and a file extension.
         * @example 3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg
         */
        TaskId: string;
        TestEventData: {
            /** @description The webhook endpoint's id. */
            endpointId: string;
        };
        /**
         * @example {
         *       "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
         *     }
         */
        UnfinishedSegmentation: {
            /** @description The job's id. */
            jobId: string;
        };
        /**
         * @example {
         *       "disabled": false
         *     }
         */
        UpdateWebhookEndpointRequest: {
            /**
             * @description URL that receives the events: https, of a public host.
             * @example https://example.com/webhooks/segmentation
             */
            url?: string;
            /**
             * @description The types of events to send; null or absent for all, including types added later. A `test` is always sent.
             * @example [
             *       "job.succeeded",
             *       "job.failed"
             *     ]
             */
            events?: components["schemas"]["WebhookEventType"][] | null;
            /**
             * @description Only for you; the service does not use it.
             * @example the shop's back end
             */
            description?: string | null;
            /** @description True pauses deliveries, false resumes them. Meanwhile pending deliveries are kept as long as any other delivery. */
            disabled?: boolean;
        };
        /**
         * @example {
         *       "uploadUrl": "https://storage.example.com/segmentation-media/inputs/a/b?X-Amz-Signature=0f",
         *       "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
         *       "bucket": "segmentation-media",
         *       "expiresIn": 300
         *     }
         */
        Upload: {
            /**
             * Format: uri
             * @description PUT the file to this URL, with the same Content-Type as in the request, and of the same size if that was given.
             */
            uploadUrl: string;
            /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
            taskId: components["schemas"]["TaskId"];
            /** @description The bucket that the file goes to. */
            bucket: string;
            /** @description For how many seconds uploadUrl is valid. */
            expiresIn: number;
        };
        UploadedPicture: {
            /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
            taskId: components["schemas"]["TaskId"];
        };
        /**
         * @example {
         *       "date": "2026-11-22",
         *       "units": 12,
         *       "jobs": 3
         *     }
         */
        UsageDay: {
            /**
             * Format: date
             * @description A day in UTC.
             * @example 2026-11-22
             */
            date: string;
            /** @description Pictures and processed frames of the jobs that ended on that day. */
            units: number;
            /** @description Number of jobs that ended on that day, including failed ones. */
            jobs: number;
        };
        /** @enum {string} */
        VideoFormat: "coco";
        /**
         * @example {
         *       "type": "video",
         *       "prompts": [
         *         "dog"
         *       ],
         *       "tasks": [
         *         "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4"
         *       ],
         *       "fps": 2,
         *       "maxFrames": 120
         *     }
         * @example {
         *       "type": "video",
         *       "tasks": [
         *         "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4"
         *       ],
         *       "regions": [
         *         {
         *           "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4",
         *           "timeSeconds": 0.5,
         *           "points": [
         *             {
         *               "x": 400,
         *               "y": 200,
         *               "label": 1
         *             }
         *           ],
         *           "label": "camel"
         *         }
         *       ]
         *     }
         */
        VideoJobRequest: {
            /**
             * @description Type of the job: images or a video.
             * @constant
             */
            type: "video";
            /**
             * @description Words for the objects to find: one thing per prompt, such as `cup` and `spoon`. A prompt that lists several things, such as `cup, spoon`, is not split: the task's `error` says what was not looked for. A prompt that is repeated counts once. May be left out if there are regions.
             * @example [
             *       "cat",
             *       "chair"
             *     ]
             */
            prompts?: string[];
            /** @description Up to 10 objects to track, with or without a name: each is tracked from its region until it is lost. */
            regions?: components["schemas"]["ClipRegion"][];
            /** @description The taskId of the uploaded video. */
            tasks: components["schemas"]["TaskId"][];
            /**
             * @description If true, the result includes a preview video with the masks drawn on it.
             * @default false
             */
            generatePreview?: boolean;
            /**
             * @description Objects with a lower confidence are left out.
             * @default 0
             */
            scoreThreshold?: number;
            /** @description Frames to process per second of video. Cannot be combined with numFrames. */
            fps?: number;
            /** @description Number of frames to process in all. Cannot be combined with fps. */
            numFrames?: number;
            /** @description The maximum number of frames to process. */
            maxFrames?: number;
            /** @description An earlier job of this account with all of this job's tasks. This job continues it, or the job that it continues itself. Both stay separate jobs; clients show them as one. */
            continues?: string;
            /** @description Additional formats of the result: COCO annotations of all frames, with each object's track. */
            formats?: components["schemas"]["VideoFormat"][];
        };
        /** @description `masks` is the URL of masks.json, which lists every processed frame with each object's mask as a compressed COCO RLE. `fps`, `numFrames` and `maxFrames` are the values of the request. */
        VideoManifest: {
            /** @description The job's id. */
            jobId: string;
            /**
             * @description Type of the job: images or a video.
             * @constant
             */
            type: "video";
            /** @description The request's prompts, in order, each once. */
            prompts: string[];
            /** @description The items, in order; of a list, one page of them. */
            items: {
                /** @description The id of an upload: a lowercase UUID, a dot and a file extension. */
                taskId: components["schemas"]["TaskId"];
                /** @description The upload's id, like taskId. */
                inputId: string;
                /** @description Charged units: one for an image, one for each processed frame. */
                units: number;
                /**
                 * Format: date-time
                 * @description ISO 8601 in UTC, with milliseconds.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                generatedAt: string;
                /**
                 * Format: uri
                 * @description The signed URL of the preview, if the job has one.
                 */
                previewUrl?: string;
                /**
                 * Format: uri
                 * @description The masks: by prompt, then by falling confidence; of a video, the URL of masks.json.
                 */
                masks: string;
                /** @description The request's frames per second. */
                fps?: number;
                /** @description The request's number of frames. */
                numFrames?: number;
                /** @description The request's bound of frames. */
                maxFrames?: number;
                /** @description The request's threshold of confidence. */
                scoreThreshold: number;
                /** @description Numbers of frames and masks. */
                counts: {
                    /** @description Number of processed frames. */
                    framesProcessed: number;
                    /** @description Number of processed frames with masks. */
                    framesWithMasks: number;
                    /** @description Number of masks. */
                    totalMasks: number;
                };
            }[];
        };
        WebhookAttempt: {
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            attemptedAt: string;
            /** @description The response's status; null if there was none. */
            status: number | null;
            /** @description Duration of the attempt; null while it is in progress. */
            milliseconds: number | null;
            /** @description Why there was no response. `timeout`: none within 15 seconds. `unreachable`: no connection. `url_forbidden`: the service does not send to this URL. `interrupted`: the service was interrupted; the request may have arrived. */
            error: ("timeout" | "unreachable" | "url_forbidden" | "interrupted") | null;
        };
        /**
         * @example {
         *       "deliveryId": "evt_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "status": "succeeded",
         *       "event": {
         *         "type": "archive.ready",
         *         "timestamp": "2026-11-20T09:30:00.000Z",
         *         "data": {
         *           "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *           "status": "ready",
         *           "expiresAt": "2026-11-20T09:30:00.000Z",
         *           "retryAfterSeconds": null,
         *           "error": null
         *         }
         *       },
         *       "nextAttemptAt": null,
         *       "attempts": [
         *         {
         *           "attemptedAt": "2026-11-20T09:30:00.000Z",
         *           "status": 204,
         *           "milliseconds": 83,
         *           "error": null
         *         }
         *       ]
         *     }
         */
        WebhookDelivery: {
            /** @description The header `webhook-id` of every attempt. */
            deliveryId: string;
            /**
             * @description `pending` until an attempt has succeeded or the last one has failed.
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed";
            /** @description The body of the request that an endpoint receives. `data` is the job's status, or the archive without its URL; `timestamp` is when the event happened. */
            event: components["schemas"]["WebhookEvent"];
            /** @description Time of the next attempt; null once the delivery has ended. A disabled endpoint gets no attempts. */
            nextAttemptAt: string | null;
            /** @description The attempts so far, earliest first. */
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        WebhookDeliveryList: {
            /** @description The items, in order; of a list, one page of them. */
            items: components["schemas"]["WebhookDelivery"][];
            /** @description The cursor of the next page; null on the last one. */
            nextToken: string | null;
        };
        /**
         * @description `by_account`: by PATCH. `gone`: the endpoint answered 410. `no_success`: nothing that was sent in five days succeeded. `secret_unreadable`: the operator has changed the service's own secret; rotate the endpoint's secret, then enable it.
         * @enum {string}
         */
        WebhookDisabledReason: "by_account" | "gone" | "no_success" | "secret_unreadable";
        /**
         * @example {
         *       "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21",
         *       "url": "https://example.com/webhooks/segmentation",
         *       "events": [
         *         "job.succeeded",
         *         "job.failed"
         *       ],
         *       "description": null,
         *       "disabled": false,
         *       "disabledReason": null,
         *       "disabledAt": null,
         *       "createdAt": "2026-11-20T09:30:00.000Z",
         *       "updatedAt": "2026-11-20T09:30:00.000Z"
         *     }
         */
        WebhookEndpoint: {
            /** @description The webhook endpoint's id. */
            endpointId: string;
            /** @description URL that receives the events. */
            url: string;
            /** @description The types of events that it receives; null for all. */
            events: components["schemas"]["WebhookEventType"][] | null;
            /** @description The account's note about it; null if it has none. */
            description: string | null;
            /** @description True if it is disabled: it receives no events. */
            disabled: boolean;
            /** @description `by_account`: by PATCH. `gone`: the endpoint answered 410. `no_success`: nothing that was sent in five days succeeded. `secret_unreadable`: the operator has changed the service's own secret; rotate the endpoint's secret, then enable it. */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /** @description ISO 8601 in UTC, with milliseconds. */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        WebhookEndpointList: {
            /** @description The items, in order; of a list, one page of them. */
            items: components["schemas"]["WebhookEndpoint"][];
        };
        /**
         * @description The body of the request that an endpoint receives. `data` is the job's status, or the archive without its URL; `timestamp` is when the event happened.
         * @example {
         *       "type": "test",
         *       "timestamp": "2026-11-20T09:30:00.000Z",
         *       "data": {
         *         "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21"
         *       }
         *     }
         */
        WebhookEvent: {
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "job.succeeded" | "job.failed";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            timestamp: string;
            /** @description Subject of the event: the job's status, or the archive. */
            data: components["schemas"]["JobStatus"];
        } | {
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "archive.ready" | "archive.failed";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            timestamp: string;
            /** @description Subject of the event: the job's status, or the archive. */
            data: components["schemas"]["ArchiveEventData"];
        } | {
            /**
             * @description Type of the event.
             * @constant
             */
            type: "test";
            /**
             * Format: date-time
             * @description ISO 8601 in UTC, with milliseconds.
             * @example 2026-11-20T09:30:00.000Z
             */
            timestamp: string;
            /** @description Subject of the event: the job's status, or the archive. */
            data: components["schemas"]["TestEventData"];
        };
        /** @enum {string} */
        WebhookEventType: "job.succeeded" | "job.failed" | "archive.ready" | "archive.failed" | "test";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    segment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`. */
                "Idempotency-Key"?: string;
                /** @description `wait=N` (RFC 7240) holds the response until the end, for N seconds at most, from 1 to 60; a larger N counts as 60. Any other value is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SegmentRequest"];
                "multipart/form-data": components["schemas"]["SegmentFormRequest"];
            };
        };
        responses: {
            /** @description The objects in the picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Segmentation"];
                };
            };
            /** @description The job has not ended yet. Wait for it with `GET /v1/jobs/{jobId}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnfinishedSegmentation"];
                };
            };
        };
    };
    createUploadPresign: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresignRequest"];
            };
        };
        responses: {
            /** @description The upload URL and the upload's id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    createMultipartUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MultipartUploadRequest"];
            };
        };
        responses: {
            /** @description The upload's id, and a URL for each part. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MultipartUpload"];
                };
            };
        };
    };
    completeMultipartUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload's id. */
                taskId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteUploadRequest"];
            };
        };
        responses: {
            /** @description The upload's id and size. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletedUpload"];
                };
            };
        };
    };
    importUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportRequest"];
            };
        };
        responses: {
            /** @description The upload's id, type and size. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedUpload"];
                };
            };
        };
    };
    deleteUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload's id. */
                taskId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description The maximum number of jobs on a page. */
                limit?: number;
                /** @description The nextToken of the previous page. Send it with the same filters. */
                nextToken?: string;
                /** @description Only this job, if it belongs to the account. */
                jobId?: string;
                /** @description Only jobs that add to this job, the first of its uploads. */
                continues?: string;
                /** @description Only jobs of this processing mode. */
                mode?: components["schemas"]["ProcessingMode"];
                /** @description Only jobs with this status. */
                status?: components["schemas"]["Status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. `nextToken` requests the next page; on the last page it is null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
        };
    };
    createJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJobRequest"];
            };
        };
        responses: {
            /** @description The job is queued. For a trial account, `trial` states what is left of the trial. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedJob"];
                };
            };
        };
    };
    retrieveJob: {
        parameters: {
            query?: {
                /** @description `request`: the status also has `prompts` and `refines`, what the job was asked for. Without it, a status has the same fields for every job. */
                include?: "request";
            };
            header?: {
                /** @description `wait=N` (RFC 7240) holds the response until the end, for N seconds at most, from 1 to 60; a larger N counts as 60. Any other value is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status of the job and of each of its tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStatus"];
                };
            };
        };
    };
    deleteJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status of the job, which has ended, and of each of its tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStatus"];
                };
            };
        };
    };
    streamJobEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event received from an earlier stream of this job. EventSource sends it automatically. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. The schema describes the data of one event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["JobEventData"];
                };
            };
            /** @description `Last-Event-ID` names the job's `end`: nothing follows, and EventSource does not reconnect. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    retrieveJobResult: {
        parameters: {
            query?: {
                /** @description `unfinished`: a job in progress also has a result, that of its tasks which have succeeded so far. Without it, such a job has none: 409. */
                include?: "unfinished";
            };
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The manifest and the assets, with signed URLs. Each response has new ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobResult"];
                };
            };
        };
    };
    retrieveJobInputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job's uploads, as they were uploaded, with signed URLs. Each response has new ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobInputs"];
                };
            };
        };
    };
    retrieveJobAnnotations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The annotations. `ETag` is their version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobAnnotations"];
                };
            };
        };
    };
    replaceJobAnnotations: {
        parameters: {
            query?: never;
            header: {
                /** @description The version on which the request is based, as `ETag` gave it. */
                "If-Match": string;
            };
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceJobAnnotationsRequest"];
            };
        };
        responses: {
            /** @description The annotations are saved. `ETag` is their new version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedAnnotations"];
                };
            };
        };
    };
    retrieveJobDownload: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` (RFC 7240) holds the response until the end, for N seconds at most, from 1 to 60; a larger N counts as 60. Any other value is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive's status and, once it is ready, the URL to download it from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveDownload"];
                };
            };
        };
    };
    createJobDownload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. It is pending until the service builds it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveDownload"];
                };
            };
        };
    };
    listShares: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All links that have not ended, newest first, without their tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareList"];
                };
            };
        };
    };
    retrieveShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Until when the job is shared, and the uploads that the link shows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedInputs"];
                };
            };
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateShareRequest"];
            };
        };
        responses: {
            /** @description The link, which is not shown again, and when it ends. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedShare"];
                };
            };
        };
    };
    revokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is no longer shared. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    retrieveModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model of the inference service in use. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account that the credential belongs to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    getAccountOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account's rights and usage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountOverview"];
                };
            };
        };
    };
    getAccountUsage: {
        parameters: {
            query?: {
                /** @description The first day; by default, 30 days ending with `to`. */
                from?: string;
                /** @description The last day; by default, today. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every day of the period, earliest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountUsage"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All keys, including revoked ones, without their secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header: {
                /** @description Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description The key, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedApiKey"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All endpoints, newest first, without their secrets. `disabledReason` says why one is disabled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointList"];
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header: {
                /** @description Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint, with the secret that signs its events. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
        };
    };
    retrieveWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, without its secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhookSecret"];
                };
            };
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, before its first attempt. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The maximum number of deliveries on a page. */
                limit?: number;
                /** @description The nextToken of the previous page. */
                nextToken?: string;
            };
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries with their attempts. `nextToken` requests the next page; on the last page it is null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpointId: string;
                /** @description The delivery's id, which its attempts carry as `webhook-id`. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, before the attempt. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    createCheckout: {
        parameters: {
            query?: never;
            header: {
                /** @description Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL to open in the owner's browser. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingUrl"];
                };
            };
        };
    };
    createBillingPortal: {
        parameters: {
            query?: never;
            header: {
                /** @description Makes a repetition of the request safe: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL to open in the owner's browser. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingUrl"];
                };
            };
        };
    };
}
