import { z } from "zod";

/** An address that may sign in: any at all. */
export const Email = z.string().trim().toLowerCase().max(100).pipe(z.email());

/** What the access token says of a person. */
export interface Person {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly picture: string;
}

/** The subject of an address: always the same, so that nobody has to be remembered; not the address itself, as with real providers. */
export const subjectOf = (email: string): string => Buffer.from(email).toString("base64url");

/** The person behind a subject, or null where `subjectOf` gives no such one. `url` is where the pictures are. */
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
