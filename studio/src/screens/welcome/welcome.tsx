import { useSignal } from "@preact/signals";
import { BeforeAfter } from "../../components/before-after.tsx";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Brand } from "../../shell/brand.tsx";
import { signIn } from "../../sign-in/sign-in.ts";
import { config } from "../../state/deployment.ts";
import { isExpired } from "../../state/session.ts";
import { KeyForm } from "./key-form.tsx";
import "./welcome.css";

/** What somebody sees who is not signed in. */
export function Welcome({ problem }: { readonly problem: string | null }) {
  const failure = useSignal(problem);
  const canSignIn = config.value.signIn !== null;
  const enter = (): void => {
    signIn(config.value).catch((error: Error) => {
      failure.value = error.message;
    });
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
          <h1>Name an object. Get its mask.</h1>
          <p>
            Drop a picture or a clip, say what to find, and get a mask for every object. Or just click on one.
          </p>
          {failure.value !== null && <Notice tone="danger" title={failure.value} />}
          {isExpired.value && <Notice title="Sign in again">Your work is still in this tab.</Notice>}
          {canSignIn && (
            <Button look="main" onClick={enter}>
              Sign in or sign up
            </Button>
          )}
          <KeyForm open={!canSignIn || isExpired.value} />
        </div>
        <BeforeAfter />
      </main>
    </div>
  );
}
