import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { FakeAccount } from "./account.ts";
import { answerOf, wordsOf } from "./answer.ts";

/*
 * Replaces `wrangler` without a Cloudflare account: it answers the commands of scripts/operate/deploy from a file that describes
 * an account, and changes it there. It prints answers like Wrangler 4.124 (by its source; never compared with a real account).
 * WRANGLER_FAKE_ACCOUNT names the file; the received commands are appended to that file with `.calls`.
 */

const file = process.env["WRANGLER_FAKE_ACCOUNT"] ?? "";
const args = process.argv.slice(2);
const account = FakeAccount.parse(JSON.parse(readFileSync(file, "utf8")));
appendFileSync(`${file}.calls`, `${wordsOf(args)}\n`);
const input = wordsOf(args) === "secret bulk" ? readFileSync(0, "utf8") : "";
const { stdout, stderr, exitCode } = answerOf(account, args, input);
writeFileSync(file, JSON.stringify(account));
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
