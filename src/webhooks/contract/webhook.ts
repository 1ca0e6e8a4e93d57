import { z } from "zod";
import { ArchiveEndEvent, JobEndEvent } from "../../jobs/contract/end-event.ts";
import { DateTime, NextToken, pageLimit } from "../../shared/api/primitives.ts";

export const WebhookEventType = z
  .enum([...JobEndEvent.shape.type.options, ...ArchiveEndEvent.shape.type.options, "test"])
  .meta({ id: "WebhookEventType" });
export type WebhookEventType = z.infer<typeof WebhookEventType>;

const JOB_ID = "job_019aa0f61c4e7d2d9be7a5f40b8a6c21";
const ENDPOINT_ID = "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21";
const AT = "2026-11-20T09:30:00.000Z";

/** The data of a test event. It has a name, because generators otherwise make two classes of one name of it. */
const TestEventData = z.strictObject({ endpointId: z.string() }).meta({ id: "TestEventData" });

/** The body sent to an endpoint: `data` is the API's object at the time of the event. */
export const WebhookEvent = z
  .discriminatedUnion("type", [
    JobEndEvent,
    ArchiveEndEvent,
    z.strictObject({
      type: z.literal("test"),
      timestamp: DateTime,
      data: TestEventData,
    }),
  ])
  .meta({
    id: "WebhookEvent",
    description:
      "The body of the request that an endpoint receives. `data` is the job's status, or the archive without its URL; `timestamp` is when the event happened.",
    examples: [{ type: "test", timestamp: AT, data: { endpointId: ENDPOINT_ID } }],
  });
export type WebhookEvent = z.infer<typeof WebhookEvent>;

const MOST_DESCRIPTION_CHARACTERS = 200;

const Url = z
  .string()
  .min(1)
  .max(2_048)
  .meta({
    description: "URL that receives the events: https, of a public host.",
    examples: ["https://example.com/webhooks/segmentation"],
  });
const Events = z
  .array(WebhookEventType)
  .min(1)
  .max(WebhookEventType.options.length)
  .nullable()
  .meta({
    description:
      "The types of events to send; null or absent for all, including types added later. A `test` is always sent.",
    examples: [["job.succeeded", "job.failed"]],
  });
const Description = z
  .string()
  .max(MOST_DESCRIPTION_CHARACTERS)
  .nullable()
  .meta({ description: "Only for you; the service does not use it.", examples: ["the shop's back end"] });

/** POST /v1/webhook-endpoints; other fields are ignored. */
export const CreateWebhookEndpointRequest = z
  .object({ url: Url, events: Events.optional(), description: Description.optional() })
  .meta({
    id: "CreateWebhookEndpointRequest",
    examples: [{ url: "https://example.com/webhooks/segmentation", events: ["job.succeeded", "job.failed"] }],
  });
export type CreateWebhookEndpointRequest = z.infer<typeof CreateWebhookEndpointRequest>;

/** PATCH /v1/webhook-endpoints/{endpointId}: absent fields stay unchanged. */
export const UpdateWebhookEndpointRequest = z
  .object({
    url: Url.optional(),
    events: Events.optional(),
    description: Description.optional(),
    disabled: z.boolean().optional().meta({
      description:
        "True pauses deliveries, false resumes them. Meanwhile pending deliveries are kept as long as any other delivery.",
    }),
  })
  .meta({ id: "UpdateWebhookEndpointRequest", examples: [{ disabled: false }] });
export type UpdateWebhookEndpointRequest = z.infer<typeof UpdateWebhookEndpointRequest>;

export const DisabledReason = z.enum(["by_account", "gone", "no_success", "secret_unreadable"]).meta({
  id: "WebhookDisabledReason",
  description:
    "`by_account`: by PATCH. `gone`: the endpoint answered 410. `no_success`: nothing that was sent in five days succeeded. `secret_unreadable`: the operator has changed the service's own secret; rotate the endpoint's secret, then enable it.",
});
export type DisabledReason = z.infer<typeof DisabledReason>;

/** An endpoint of an account, without its secrets. */
export const WebhookEndpoint = z
  .strictObject({
    endpointId: z.string(),
    url: z.string(),
    events: z.array(WebhookEventType).nullable(),
    description: z.string().nullable(),
    disabled: z.boolean(),
    disabledReason: DisabledReason.nullable(),
    disabledAt: DateTime.nullable(),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({
    id: "WebhookEndpoint",
    examples: [
      {
        endpointId: ENDPOINT_ID,
        url: "https://example.com/webhooks/segmentation",
        events: ["job.succeeded", "job.failed"],
        description: null,
        disabled: false,
        disabledReason: null,
        disabledAt: null,
        createdAt: AT,
        updatedAt: AT,
      },
    ],
  });
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

export const WebhookEndpointList = z
  .strictObject({ items: z.array(WebhookEndpoint) })
  .meta({ id: "WebhookEndpointList" });
export type WebhookEndpointList = z.infer<typeof WebhookEndpointList>;

const Secret = z.string().meta({
  description: "The secret that signs: `whsec_` and base64 of the key. It is shown only in this response.",
});

/** Only the first response has the secret, as with API keys. */
export const CreatedWebhookEndpoint = z
  .strictObject({
    endpoint: WebhookEndpoint,
    secret: Secret.optional(),
    secretUnavailable: z
      .boolean()
      .meta({ description: "True in a replayed response, which does not contain the secret." }),
  })
  .meta({ id: "CreatedWebhookEndpoint" });
export type CreatedWebhookEndpoint = z.infer<typeof CreatedWebhookEndpoint>;

export const RotatedWebhookSecret = z
  .strictObject({ endpoint: WebhookEndpoint, secret: Secret })
  .meta({ id: "RotatedWebhookSecret" });
export type RotatedWebhookSecret = z.infer<typeof RotatedWebhookSecret>;

/** The reasons why an attempt got no response. */
export const AttemptError = z.enum(["timeout", "unreachable", "url_forbidden", "interrupted"]);
export type AttemptError = z.infer<typeof AttemptError>;

const WebhookAttempt = z
  .strictObject({
    attemptedAt: DateTime,
    status: z.int().nullable().meta({ description: "The response's status; null if there was none." }),
    milliseconds: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: "Duration of the attempt; null while it is in progress." }),
    error: AttemptError.nullable().meta({
      description:
        "Why there was no response. `timeout`: none within 15 seconds. `unreachable`: no connection. `url_forbidden`: the service does not send to this URL. `interrupted`: the service was interrupted; the request may have arrived.",
    }),
  })
  .meta({ id: "WebhookAttempt" });

export const WebhookDelivery = z
  .strictObject({
    deliveryId: z.string().meta({ description: "The header `webhook-id` of every attempt." }),
    status: z
      .enum(["pending", "succeeded", "failed"])
      .meta({ description: "`pending` until an attempt has succeeded or the last one has failed." }),
    event: WebhookEvent,
    nextAttemptAt: DateTime.nullable().meta({
      description:
        "Time of the next attempt; null once the delivery has ended. A disabled endpoint gets no attempts.",
    }),
    attempts: z.array(WebhookAttempt),
  })
  .meta({
    id: "WebhookDelivery",
    examples: [
      {
        deliveryId: "evt_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        status: "succeeded",
        event: {
          type: "archive.ready",
          timestamp: AT,
          data: { jobId: JOB_ID, status: "ready", expiresAt: AT, retryAfterSeconds: null, error: null },
        },
        nextAttemptAt: null,
        attempts: [{ attemptedAt: AT, status: 204, milliseconds: 83, error: null }],
      },
    ],
  });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** GET /v1/webhook-endpoints/{endpointId}/deliveries. */
export const ListWebhookDeliveriesQuery = z.object({
  limit: pageLimit("deliveries"),
  nextToken: NextToken.meta({ description: "The nextToken of the previous page." }),
});

export const WebhookDeliveryList = z
  .strictObject({ items: z.array(WebhookDelivery), nextToken: z.string().nullable() })
  .meta({ id: "WebhookDeliveryList" });
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;
