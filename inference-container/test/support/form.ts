/** Whether the test is run in its long form, by test/long: then it has all of its cases, else those that stand for the others. */
export const isLong = process.env["FORM"] === "long";
