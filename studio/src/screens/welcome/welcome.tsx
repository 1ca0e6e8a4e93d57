import { useSignal } from "@preact/signals";
import type { TargetedSubmitEvent } from "preact";
import { SegmentationError } from "segmentation-client";
import { Button } from "../../components/controls/button.tsx";
import { Notice } from "../../components/layout/notice.tsx";
import { Brand } from "../../shell/brand.tsx";
import { signIn, signInByKey } from "../../sign-in/sign-in.ts";
import { problemSentence } from "../../text/problem-words.ts";
import { config } from "../../state/config.ts";
import { isExpired } from "../../state/session.ts";
import { TextField } from "../../components/controls/field.tsx";
import "./welcome.css";

/** The screen for people who are not signed in. */
export function Welcome({ problem }: { readonly problem: string | null }) {
  const failure = useSignal(problem);
  const canSignIn = config.value.signIn !== null;
  const enter = (): void => {
    signIn(config.value).catch((error: Error) => (failure.value = error.message));
  };
  return (
    <div class="welcome">
      <header class="welcome-bar">
        <Brand />
        <nav>
          <a href="/docs">API reference</a>
        </nav>
      </header>
      <main class="welcome-main">
        <div class="welcome-words">
          <h1>Segment pictures and videos</h1>
          <p>Drop a picture or a video, say what to find or click on it, and get a mask for every object.</p>
          {failure.value !== null && <Notice tone="danger" title={failure.value} />}
          {isExpired.value && <Notice title="Sign in again">Your work is still in this tab.</Notice>}
          {canSignIn && (
            <Button variant="main" onClick={enter}>
              Sign in or sign up
            </Button>
          )}
          <KeyForm open={!canSignIn || isExpired.value} />
        </div>
      </main>
    </div>
  );
}

/** Pattern of the API keys of every deployment: docs/authentication.md. */
const KEY_PATTERN = /^sk_live_[0-9A-Za-z]{46}$/;

/** Signs in by an API key. */
function KeyForm({ open }: { readonly open: boolean }) {
  const key = useSignal("");
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const text = key.value.trim();
    if (!KEY_PATTERN.test(text)) {
      problem.value = "An API key starts with sk_live_ and has 54 characters.";
      return;
    }
    busy.value = true;
    try {
      await signInByKey(text);
    } catch (error) {
      problem.value =
        error instanceof SegmentationError && error.status === 401
          ? "The service doesn’t recognize this key. It may have been revoked."
          : problemSentence(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <details class="key-form" open={open}>
      <summary>Use an API key</summary>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          type="password"
          label="API key"
          hint="Kept for this tab only."
          text={key}
          problem={problem}
        />
        <Button type="submit" busy={busy.value}>
          Open the studio
        </Button>
      </form>
    </details>
  );
}
