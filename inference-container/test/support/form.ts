/** True in the long form of a test, which test/long runs: it has all cases, otherwise only representative ones. */
export const isLong = process.env["FORM"] === "long";
