/**
 * What outlives a reload of the tab, and nothing longer. An API key is kept for the tab. Of somebody who came by the identity
 * provider only the subject is: it says whom to ask for again, and is no secret. Tokens are never stored.
 */
export type Remembered =
  | { readonly kind: "key"; readonly apiKey: string }
  | { readonly kind: "person"; readonly subject: string };

const NAME = "studio.credential";

/** The credential of this tab. */
export function remembered(): Remembered | null {
  const text = sessionStorage.getItem(NAME);
  if (text === null) return null;
  const value: Remembered = JSON.parse(text);
  return value;
}

/** Keeps the credential for this tab. */
export const remember = (credential: Remembered): void =>
  sessionStorage.setItem(NAME, JSON.stringify(credential));

/** Forgets the credential of this tab. */
export const forget = (): void => sessionStorage.removeItem(NAME);
