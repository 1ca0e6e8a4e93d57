import { batch, computed, signal } from "@preact/signals";
import { SegmentationClient, type Answer } from "segmentation-client";

export type AccountOverview = Answer<"getAccountOverview">;
type AccountInfo = Answer<"getAccount">;

/** A person who is signed in. */
interface Session {
  readonly client: SegmentationClient;
  /** Kind of sign-in: by an API key, by the identity provider, or by a share's link, without an account. */
  readonly kind: "key" | "person" | "link";
}

/** The session; null without a sign-in, undefined while that is not known. */
export const session = signal<Session | null | undefined>(undefined);
/** True if the visitor has only a share's link: nothing can be changed. */
export const isVisitor = computed(() => session.value?.kind === "link");
/** True if the API refuses the session's credential. Unfinished work stays on the screen. */
export const isExpired = signal(false);
/** The account's plan, trial and use, as last fetched. */
export const overview = signal<AccountOverview | null>(null);
export const account = signal<AccountInfo | null>(null);

/** The client, for screens that only a person who is signed in sees. */
export const client = computed(() => {
  if (!session.value) throw new Error("Nobody is signed in.");
  return session.value.client;
});
/** The client's operations. */
export const api = computed(() => client.value.api);

type Credential = { readonly apiKey: string } | { readonly accessToken: () => Promise<string> };

/** A client for a credential. While it is the session's, its answers say whether the credential is accepted. */
function clientFor(credential: Credential): SegmentationClient {
  let sent = 0;
  let refused = 0;
  const watchedFetch: typeof fetch = async (input, init) => {
    const number = ++sent;
    const response = await fetch(input, init);
    // Files are sent without a credential.
    const isAsked = new Headers(init?.headers).has("authorization");
    if (!isAsked || session.peek()?.client !== theirs) return response;
    if (response.status === 401) refused = Math.max(refused, number);
    // A request from before the refusal says nothing about later ones.
    if (response.status === 401 || (response.ok && number > refused)) isExpired.value = !response.ok;
    return response;
  };
  const theirs = new SegmentationClient({ ...credential, baseUrl: location.origin, fetch: watchedFetch });
  return theirs;
}

/** Fetches the account and its permissions again: after a job, a payment, a sign-in. Answers after a sign-out are dropped. */
export async function refreshAccount(): Promise<void> {
  if (isVisitor.peek()) return;
  const { value: theirs } = client;
  const [info, state] = await Promise.all([theirs.api.getAccount(), theirs.api.getAccountOverview()]);
  if (session.peek()?.client !== theirs) return;
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

/** Asks again whenever a person comes back to the tab: they may have paid elsewhere, or revoked the key. */
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible" || !session.value || isExpired.value) return;
  // A screen that needs more data fetches it itself, and shows failures.
  refreshAccount().catch(() => {});
});
