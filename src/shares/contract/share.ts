import { z } from "zod";
import { DateTime } from "../../shared/api/primitives.ts";
import { SignedInputs } from "../../jobs/contract/inputs.ts";

const DAY_SECONDS = 86_400;

/** Maximum number of further jobs of its uploads that a share shows. */
export const MOST_FURTHER_JOBS = 50;

/** POST /v1/jobs/{jobId}/share; other fields are ignored. */
export const CreateShareRequest = z
  .object({
    further: z
      .array(z.string())
      .max(MOST_FURTHER_JOBS)
      .default([])
      .meta({
        description: `Further jobs of the same uploads whose results the link shows too, such as objects that were pointed at; at most ${MOST_FURTHER_JOBS}.`,
      }),
    expiresIn: z
      .int()
      .min(60)
      .max(30 * DAY_SECONDS)
      .default(7 * DAY_SECONDS)
      .meta({
        description:
          "After how many seconds the link ends: from a minute to 30 days. It ends earlier if a job that it shows is deleted earlier; `expiresAt` of the answer says when.",
      }),
    showInputs: z.boolean().default(false).meta({
      description:
        "True if the link also shows the original uploads of tasks that succeeded. A picture's metadata may name the place and the camera.",
    }),
    showAnnotations: z.boolean().default(false).meta({
      description:
        "True if the link also shows the job's annotations, with their notes and file names. A link cannot change them.",
    }),
  })
  .meta({ id: "CreateShareRequest", examples: [{ expiresIn: 86_400, showInputs: true }] });

/** A share as its account sees it, without the link's token. */
export const Share = z
  .strictObject({
    jobId: z.string().meta({ description: "The job that is shared." }),
    further: z
      .array(z.string())
      .meta({ description: "Further jobs of the same uploads whose results the link shows." }),
    createdAt: DateTime,
    expiresAt: DateTime.meta({ description: "Time at which the link ends, unless it is revoked before." }),
    showInputs: z
      .boolean()
      .meta({ description: "True if the link also shows the uploads of the tasks that succeeded." }),
    showAnnotations: z.boolean().meta({ description: "True if the link also shows the job's annotations." }),
  })
  .meta({
    id: "Share",
    description: "Shared result and the time at which its link ends.",
    examples: [
      {
        jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        further: [],
        createdAt: "2026-11-20T09:30:00.000Z",
        expiresAt: "2026-11-21T09:30:00.000Z",
        showInputs: true,
        showAnnotations: false,
      },
    ],
  });
export type Share = z.infer<typeof Share>;

export const ShareList = z.strictObject({ items: z.array(Share) }).meta({ id: "ShareList" });
export type ShareList = z.infer<typeof ShareList>;

/** The only response with the token: the service keeps its digest. */
export const CreatedShare = z
  .strictObject({
    share: Share,
    token: z.string().meta({
      description:
        "Token of the link: send it as `Authorization: Bearer <token>`. Only this response has it.",
    }),
    url: z.url().nullable().meta({
      description:
        "The link: a page of the studio, with the token in its fragment, which browsers never send. Null if the service has no studio.",
    }),
  })
  .meta({ id: "CreatedShare" });
export type CreatedShare = z.infer<typeof CreatedShare>;

/** GET /v1/jobs/{jobId}/share: the link's end, and its uploads. */
export const SharedInputs = z
  .strictObject({
    share: Share,
    inputs: SignedInputs.meta({
      description:
        "The uploads that the link shows, with signed URLs; `expiresIn` is in seconds. Uploads that have been deleted are not among them.",
    }),
  })
  .meta({ id: "SharedInputs" });
export type SharedInputs = z.infer<typeof SharedInputs>;
