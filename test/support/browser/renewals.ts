import type { BrowserContext } from "playwright-core";
import { z } from "zod";
import { tokenUntil } from "../stack/token-until.ts";

const TokenAnswer = z.looseObject({ access_token: z.string() });

/** The renewals of access tokens in a browser: what the identity provider is asked, and until when its tokens are good. */
export interface Renewals {
  /** The refresh tokens that were used, in their order. */
  readonly used: readonly string[];
  /** The statuses of the provider's answers to them. */
  readonly statuses: readonly number[];
  /** The access token that came last. */
  readonly latest: string;
  /** From now on tokens end then (epoch seconds), until somebody signs in again: no request of the session before succeeds then. */
  endAt: (end: number) => void;
}

/**
 * Has every access token renewed before each request, as if it were about to end; and tokens end when the test says, which the
 * service finds in them. The provider and its refresh tokens are what they are.
 */
export async function watchRenewals(
  context: BrowserContext,
  stack: { readonly stateDir: string; readonly identityUrl: string },
): Promise<Renewals> {
  const used: string[] = [];
  const statuses: number[] = [];
  let end: number | null = null;
  const renewals = {
    used,
    statuses,
    latest: "",
    endAt(at: number): void {
      end = at;
    },
  };
  await context.route(`${stack.identityUrl}/token`, async (route) => {
    const refreshToken = new URLSearchParams(route.request().postData() ?? "").get("refresh_token");
    const response = await route.fetch();
    if (refreshToken === null) end = null;
    else {
      used.push(refreshToken);
      statuses.push(response.status());
    }
    const answer = TokenAnswer.safeParse(await response.json());
    if (!answer.success) return await route.fulfill({ response });
    const token = answer.data.access_token;
    renewals.latest = end === null ? token : await tokenUntil(stack.stateDir, token, end);
    await route.fulfill({
      response,
      json: { ...answer.data, expires_in: 0.01, access_token: renewals.latest },
    });
  });
  return renewals;
}
