import { html } from "hono/html";
import { CHECKOUT_LINE, JOB_LINES, OVERVIEW_LINE, settingLines } from "../../../shared/curl-lines.ts";
import { type Html, page } from "../page.ts";

const layout = (title: string, body: Html): Html =>
  page(
    title,
    html`<link rel="stylesheet" href="/style.css" />
      <script src="/copy.js" defer></script>`,
    body,
    "This is a fake for an identity provider, for development on this machine. It uses no passwords: anybody who opens it can sign in as anybody.",
  );

/** The first page, on which a sign-in begins. */
export const startPage = (): Html =>
  layout(
    "Segmentation, on this machine",
    html`<p>
        Sign in to get an access token for the API. The first sign-in with an e-mail address creates an
        account with a free trial.
      </p>
      <p><a class="button" href="/sign-in">Sign in</a></p>`,
  );

/**
 * Asks for the e-mail address. The form posts to the page's URL.
 * @param refusal the mistake in the last attempt
 */
export const loginPage = (refusal: string | null): Html =>
  layout(
    "Who are you?",
    html`<form method="post">
      <label for="email">Enter any e-mail address. No mail is sent.</label>
      <input
        id="email"
        name="email"
        type="email"
        maxlength="100"
        placeholder="a@example.com"
        required
        autofocus
      />
      ${refusal === null ? "" : html`<p role="alert">${refusal}</p>`}
      <button type="submit">Sign in</button>
    </form>`,
  );

const copied = (id: string, text: string): Html =>
  html`<pre id="${id}">${text}</pre>
    <button type="button" data-copy="${id}">Copy</button>`;

/** Shows an access token and its use. */
export const tokenPage = (apiUrl: string, token: string): Html =>
  layout(
    "Your access token",
    html`<p>
        It is valid for one hour. To get another one, or to sign in as somebody else,
        <a href="/sign-in">sign in again</a>.
      </p>
      ${copied("token", token)}
      <h2>In a shell</h2>
      ${copied("settings", settingLines(apiUrl, token))}
      <h2>What am I allowed to do?</h2>
      ${copied("overview", OVERVIEW_LINE)}
      <h2>A first job, on the trial</h2>
      ${copied("job", JOB_LINES)}
      <h2>Become a paying customer</h2>
      <p>Open the URL that this prints and press Pay. No money moves.</p>
      ${copied("checkout", CHECKOUT_LINE)}`,
  );

/** Shows an error, with a link to start again. */
export const errorPage = (what: string): Html =>
  layout(
    "That did not work",
    html`<p role="alert">${what}</p>
      <p><a class="button" href="/sign-in">Sign in again</a></p>`,
  );
