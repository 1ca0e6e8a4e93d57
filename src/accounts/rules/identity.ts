import { z } from "zod";
import { sha256Hex } from "../../shared/digest.ts";

/** The person named by an access token: issuer and subject together identify one account. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Returns the digest of an identity: its entry in the directory. */
export const identityEntry = ({ issuer, subject }: Identity): Promise<string> =>
  sha256Hex(JSON.stringify([issuer, subject]));

/** The stored data about a person. */
export interface Profile {
  /** Empty if no token ever named one. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly image: string | null;
}

/** OpenID Connect Core, section 2: at most 255 characters. */
export const Subject = z.string().min(1).max(255);

const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The claims about a person (OpenID Connect Core, 5.1); a claim of the wrong shape counts as absent. */
const ProfileClaims = z.object({
  email: optional(z.string().min(1).max(320)),
  email_verified: optional(z.boolean()),
  name: optional(z.string().min(1).max(200)),
  picture: optional(z.url({ protocol: /^https?$/ }).max(2_048)),
});

const UNKNOWN: Profile = { email: "", emailVerified: false, name: null, image: null };

/** The profile updated with a token's claims. An absent claim changes nothing; only a token that has an address verifies it. */
export function profileAfter(claims: unknown, before: Profile = UNKNOWN): Profile {
  const { email, email_verified: verified, name, picture } = ProfileClaims.parse(claims);
  return {
    email: email ?? before.email,
    emailVerified: email === undefined ? before.emailVerified : verified === true,
    name: name ?? before.name,
    image: picture ?? before.image,
  };
}

/** A person's display name: the name, or the part of the e-mail address before the @; empty if there is neither. */
export const nameOf = ({ name, email }: Profile): string => name ?? email.replace(/@[^@]*$/, "");

export const sameProfile = (a: Profile, b: Profile): boolean =>
  a.email === b.email && a.emailVerified === b.emailVerified && a.name === b.name && a.image === b.image;
