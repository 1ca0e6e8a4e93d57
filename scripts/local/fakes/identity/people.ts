import { z } from "zod";

/** An e-mail address: anyone may sign in. */
export const Email = z.string().trim().toLowerCase().max(100).pipe(z.email());

/** The claims about a person in the access token. */
export interface Person {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly picture: string;
}

/**
 * Returns the subject of an e-mail address. It is always the same, so it needs no storage, and differs from the address, as with
 * real providers.
 */
export const subjectOf = (email: string): string => Buffer.from(email).toString("base64url");

/**
 * Returns the person of a subject; null if `subjectOf` can't have made it.
 * @param url the fake's URL, for the picture
 */
export function personOf(subject: string, url: string): Person | null {
  const email = Email.safeParse(Buffer.from(subject, "base64url").toString());
  if (!email.success || subjectOf(email.data) !== subject) return null;
  const words = email.data.replace(/@.*/, "").split(/[^\p{L}\p{N}]+/u);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
  const [initial = "A"] = name.trim();
  return {
    sub: subject,
    email: email.data,
    email_verified: true,
    name: name.trim() || email.data,
    picture: `${url}/pictures/${initial}.svg`,
  };
}
