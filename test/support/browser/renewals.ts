import type { BrowserContext } from "playwright-core";
import { z } from "zod";
import { tokenUntil } from "../stack/token-until.ts";

const TokenAnswer = z.looseObject({ access_token: z.string() });

/** The renewals of access tokens in a browser: the requests to the identity provider, and the end of its tokens. */
export interface Renewals {
  /** The refresh tokens that were used, in their order. */
  readonly used: readonly string[];
  /** The statuses of the provider's answers to them. */
  readonly statuses: readonly number[];
  /** The access token that came last. */
  readonly latest: string;
  /** Makes tokens end at this time (epoch seconds) until the next sign-in: no request of the session succeeds after it. */
  endAt: (end: number) => void;
}

/**
 * Renews every access token before each request, as if it were about to end. The test decides the end of the tokens, which the
 * service reads from them. The provider and its refresh tokens are real.
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
