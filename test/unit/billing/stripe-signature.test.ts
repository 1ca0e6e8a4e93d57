import { describe, expect, it } from "vitest";
import {
  SIGNATURE_TOLERANCE_SECONDS,
  signatureProblem,
} from "../../../src/billing/rules/stripe-signature.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const SECONDS = Math.floor(NOW / 1_000);
const HMAC = "0123456789abcdef".repeat(4);

describe("the header of a webhook's signature", () => {
  it.each([
    ["one signature", `t=${SECONDS},v1=${HMAC}`],
    ["the signatures of two secrets, while one is rolled", `t=${SECONDS},v1=${HMAC},v1=${HMAC}`],
    ["a signature of another scheme before ours", `t=${SECONDS},v0=${HMAC},v1=${HMAC}`],
    ["the time last", `v1=${HMAC},t=${SECONDS}`],
    ["the oldest time that is taken", `t=${SECONDS - SIGNATURE_TOLERANCE_SECONDS},v1=${HMAC}`],
    ["the latest time that is taken", `t=${SECONDS + SIGNATURE_TOLERANCE_SECONDS},v1=${HMAC}`],
    ["as much as there may be", `t=${SECONDS},v1=${HMAC},`.padEnd(2_048, "x")],
  ])("may be good with %s: the body decides", (_, header) => {
    expect(signatureProblem(header, NOW)).toBeNull();
  });

  it.each([
    ["no header", undefined],
    ["an empty one", ""],
    ["no time", `v1=${HMAC}`],
    ["two times", `t=${SECONDS},t=${SECONDS},v1=${HMAC}`],
    ["a time that is no number", `t=soon,v1=${HMAC}`],
    ["a time with something behind it", `t=${SECONDS}x,v1=${HMAC}`],
    ["a time with something before it", `t=x${SECONDS},v1=${HMAC}`],
    ["a time of too many digits", `t=${SECONDS}000,v1=${HMAC}`],
    ["no signature", `t=${SECONDS}`],
    ["a signature of another scheme alone", `t=${SECONDS},v0=${HMAC}`],
    ["a signature that is too short", `t=${SECONDS},v1=${HMAC.slice(1)}`],
    ["a signature that is too long", `t=${SECONDS},v1=${HMAC}0`],
    ["a signature that is not hexadecimal", `t=${SECONDS},v1=${HMAC.slice(1)}g`],
    ["something before the signature", `t=${SECONDS},xv1=${HMAC}`],
    ["more than there may be", `t=${SECONDS},v1=${HMAC},`.padEnd(2_049, "x")],
  ])("is malformed with %s", (_, header) => {
    expect(signatureProblem(header, NOW)).toBe("malformed");
  });

  it.each([-1, 1])("is stale a second beyond the tolerance (sign %i)", (sign) => {
    const seconds = SECONDS + sign * (SIGNATURE_TOLERANCE_SECONDS + 1);
    expect(signatureProblem(`t=${seconds},v1=${HMAC}`, NOW)).toBe("stale");
  });
});
