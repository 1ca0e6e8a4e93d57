import { batch, computed, signal } from "@preact/signals";
import { SegmentationClient, type Answer } from "segmentation-client";

export type AccountOverview = Answer<"getAccountOverview">;
type AccountInfo = Answer<"getAccount">;

/** Somebody who is signed in. */
interface Session {
  readonly client: SegmentationClient;
  /** How they came: by an API key, or by the identity provider. */
  readonly kind: "key" | "person";
}

/** The session; null if nobody is signed in, undefined while that is not known. */
export const session = signal<Session | null | undefined>(undefined);
/** Whether the API refuses the session's credential. Unfinished work stays on the screen. */
export const isExpired = signal(false);
/** The account's plan, trial and use, as they were asked for last. */
export const overview = signal<AccountOverview | null>(null);
export const account = signal<AccountInfo | null>(null);

/** The client, for screens that only somebody who is signed in sees. */
export const client = computed(() => {
  if (!session.value) throw new Error("Nobody is signed in.");
  return session.value.client;
});
/** The client's operations. */
export const api = computed(() => client.value.api);

/** Watches every answer for one that says that the credential is no longer accepted. */
const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401 && new URL(response.url).origin === location.origin) isExpired.value = true;
  return response;
};

type Credential = { readonly apiKey: string } | { readonly accessToken: () => Promise<string> };

/** A client for a credential. */
const clientFor = (credential: Credential): SegmentationClient =>
  new SegmentationClient({ ...credential, baseUrl: location.origin, fetch: watchedFetch });

/** Asks again what the account is and may do: after a job, a payment, a sign-in. */
export async function refreshAccount(): Promise<void> {
  const [info, state] = await Promise.all([api.value.getAccount(), api.value.getAccountOverview()]);
  account.value = info;
  overview.value = state;
}

/** Begins a session. @throws SegmentationError if the API refuses the credential */
export async function begin(kind: Session["kind"], credential: Credential): Promise<void> {
  const theirs = clientFor(credential);
  const [info, state] = await Promise.all([theirs.api.getAccount(), theirs.api.getAccountOverview()]);
  batch(() => {
    account.value = info;
    overview.value = state;
    isExpired.value = false;
    session.value = { client: theirs, kind };
  });
}

/** Asks again whenever somebody comes back to the tab: they may have paid elsewhere, or revoked the key. */
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible" || !session.value || isExpired.value) return;
  // A screen that needs more than what is known asks for itself, and says what fails.
  refreshAccount().catch(() => {});
});
