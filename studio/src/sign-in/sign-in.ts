import { batch } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import type { SignInSettings, StudioConfig } from "../state/config.ts";
import { problemSentence } from "../text/problem-words.ts";
import { loadScript } from "../state/scripts.ts";
import { account, begin, isExpired, overview, session } from "../state/session.ts";

const provider = () => loadScript(() => import("./provider.ts"));
const isReturnPath = (): boolean => location.pathname === "/studio/signed-in";

/** Goes to the identity provider, which asks who it is, and comes back to the page that was left. @throws SignInError */
export async function signIn({ signIn: settings }: StudioConfig): Promise<void> {
  if (settings === null) return;
  forget();
  await (await provider()).leaveForProvider(settings, "login");
}

/** Signs in by an API key, which is kept for this tab. @throws SegmentationError if the API refuses it */
export async function signInByKey(apiKey: string): Promise<void> {
  await begin("key", { apiKey });
  remember({ kind: "key", apiKey });
}

/** Asks for another key in place of a refused one. Unfinished work stays. */
export function leaveForAnotherKey(): void {
  forget();
  session.value = null;
}

/** Signs out of this tab. */
export function signOut(): void {
  forget();
  localStorage.removeItem(PERSON);
  batch(() => {
    session.value = null;
    overview.value = null;
    account.value = null;
    isExpired.value = false;
  });
}

/**
 * Resumes the session from before a reload, or the identity provider's new one, or, in a new tab, asks it for
 * one. Returns why the sign-in failed; null if a person is signed in, or was not before.
 */
export async function resume(config: StudioConfig): Promise<string | null> {
  const before = remembered();
  try {
    if (config.signIn !== null && isReturnPath()) return await arrive(config.signIn, before);
    if (before?.kind === "key") {
      await begin("key", { apiKey: before.apiKey });
      return null;
    }
    if (config.signIn === null || (before === null && !hasPerson())) return nobody();
    await (await provider()).leaveForProvider(config.signIn, "none");
    // The browser is leaving this page: nothing more is drawn.
    return await new Promise(() => {});
  } catch (error) {
    if (error instanceof SegmentationError && error.status === 401) forget();
    session.value = null;
    return problemSentence(error);
  }
}

function nobody(): null {
  forget();
  session.value = null;
  return null;
}

async function arrive(
  settings: SignInSettings,
  before: ReturnType<typeof remembered>,
): Promise<string | null> {
  const { arriveFromProvider, SignInError } = await provider();
  try {
    const { tokens, subject } = await arriveFromProvider(settings);
    // Another tab may have signed another person in meanwhile: this tab does not become theirs by a reload.
    if (before?.kind === "person" && before.subject !== subject) {
      forget();
      session.value = null;
      return "Someone else is now signed in with the identity provider. Sign in again.";
    }
    await begin("person", { accessToken: () => tokens.current() });
    remember({ kind: "person", subject });
    localStorage.setItem(PERSON, "");
    return null;
  } catch (error) {
    if (!(error instanceof SignInError) || !error.needsPerson) throw error;
    localStorage.removeItem(PERSON);
    return nobody();
  }
}

/**
 * Data that outlives a reload of the tab, and nothing longer. An API key is kept for the tab. Of a person who came by the identity
 * provider only the subject is: it says whom to ask for again, and is no secret. Tokens are never stored.
 */
type Remembered =
  | { readonly kind: "key"; readonly apiKey: string }
  | { readonly kind: "person"; readonly subject: string };

const NAME = "studio.credential";
/** Its item says that a person came by the identity provider in this browser: a new tab asks it who. */
const PERSON = "studio.person";
const hasPerson = (): boolean => localStorage.getItem(PERSON) !== null;

/** The credential of this tab. */
export function remembered(): Remembered | null {
  const text = sessionStorage.getItem(NAME);
  if (text === null) return null;
  const value: Remembered = JSON.parse(text);
  return value;
}

/** Keeps the credential for this tab. */
const remember = (credential: Remembered): void => sessionStorage.setItem(NAME, JSON.stringify(credential));

/** Forgets the credential of this tab. */
const forget = (): void => sessionStorage.removeItem(NAME);
