import { Failure, readArguments, runCommand, texts, usageError } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";
import { readIfPresent } from "../shared/state/private-file.ts";
import { StackAddress, stateFolder } from "../shared/state/state-folder.ts";
import { Email } from "../local/fakes/identity/people.ts";
import { signIn } from "./sign-in.ts";

const HELP = `Signs in at the running stack's identity provider fake and prints only the access token.

  TOKEN=$(npm run -s token -- --email a@example.com)

  STATE_DIR=/tmp/try npm run …  uses the stack in that folder (default .local)
`;

function parseEmail(): string | null {
  const { email, help } = readArguments("token", process.argv.slice(2), texts("email"), false).values;
  if (help === true) return null;
  if (email === undefined) throw usageError(`--email is missing.\n\n${HELP}`);
  const address = Email.safeParse(email);
  if (!address.success) throw usageError("--email must be an e-mail address like a@example.com.");
  return address.data;
}

async function identityUrlOf(): Promise<string> {
  const state = stateFolder(process.env["STATE_DIR"]);
  const text = await readIfPresent(state.ready);
  if (text === null) throw new Failure(`No stack is running in ${state.path}. Start one with npm start.`);
  const { identityUrl } = StackAddress.parse(JSON.parse(text));
  if (identityUrl !== undefined) return identityUrl;
  throw new Failure(
    "The running stack has no fake for an identity provider. It accepts tokens of the provider in its settings " +
      "(OIDC_ISSUER), or only API keys (FAKES=off).",
  );
}

await runCommand(async () => {
  const email = parseEmail();
  if (email === null) {
    console.log(HELP);
    return 0;
  }
  const identityUrl = await identityUrlOf();
  const token = await signIn(identityUrl, email).catch((error: unknown) => {
    // A stack that was killed leaves its ready.json behind.
    throw new Failure(
      `The sign-in at ${identityUrl} failed: ${messageOf(error)}. Is the stack still running?`,
    );
  });
  console.log(token);
  return 0;
});
