import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** What the operator decides of the page. */
export interface LandingTerms {
  readonly STUDIO: boolean;
  readonly STUDIO_NAME: string;
}

const EXAMPLE = `npx segmentation-client segment photo.jpg -p cup -p spoon`;

/** The page at `/`: what this is, and the ways in. */
export const landingPage = ({
  STUDIO: hasStudio,
  STUDIO_NAME: name,
}: LandingTerms): HtmlEscapedString | Promise<HtmlEscapedString> =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content="Pictures, clips and words in; a mask for every object out." />
        <title>${name}</title>
        <link rel="icon" href="${hasStudio ? "/studio/icon.svg" : "data:,"}" />
        <link rel="stylesheet" href="/landing/before-after.css" />
        <link rel="stylesheet" href="/landing.css" />
        <script src="/landing.js" defer></script>
      </head>
      <body>
        <header>
          <p class="name">${name}</p>
          <nav>
            <a href="/docs">API reference</a>
            ${hasStudio ? html`<a href="/studio">Sign in</a>` : ""}
          </nav>
        </header>
        <main>
          <div class="words">
            <h1>Say what to find. Get its mask.</h1>
            <p>
              Send a picture or a clip with a few words, and get a mask for every object they name: as PNG,
              COCO, YOLO, cut-outs, or a ZIP file with everything.
            </p>
            <p class="ways">
              ${
                hasStudio
                  ? html`<a class="first" href="/studio">Open the studio</a>
                      <a href="/docs">Read the API reference</a>`
                  : html`<a class="first" href="/docs">Read the API reference</a>`
              }
            </p>
          </div>
          <figure class="before-after">
            <img
              src="/landing/before.webp"
              width="600"
              height="400"
              alt="A cup of coffee on a saucer, with a spoon"
            />
            <img
              src="/landing/after.webp"
              width="600"
              height="400"
              alt="The same picture with a mask on the cup and one on the spoon"
            />
            <input
              type="range"
              min="0"
              max="100"
              value="50"
              aria-label="Share of the picture that is shown without masks, in percent"
            />
          </figure>
          <section>
            ${
              hasStudio
                ? html`<div>
                    <h2><a href="/studio">Try it</a></h2>
                    <p>
                      Drop a picture into the studio, name objects or click on them, and export their masks.
                    </p>
                  </div>`
                : ""
            }
            <div>
              <h2><a href="/docs">Call the API</a></h2>
              <p>
                Upload to a signed URL, create a job, and get notified when it finishes. The
                <a href="/openapi.json">OpenAPI document</a> describes every operation.
              </p>
            </div>
            <div>
              <h2>Script it</h2>
              <p>
                A client library for Node, browsers, Workers, Deno and Bun, with a command line:
                <code>${EXAMPLE}</code>
              </p>
            </div>
          </section>
        </main>
        <footer><a href="/healthz">Status</a></footer>
      </body>
    </html>`;

/** Moves the edge between the two pictures. */
export const LANDING_SCRIPT = `for (const figure of document.querySelectorAll(".before-after"))
  figure.querySelector("input").addEventListener("input", ({ target }) =>
    figure.style.setProperty("--at", target.value + "%"));
`;

export const LANDING_STYLE = `@font-face { font-family: "Instrument Sans"; src: url("/landing/instrument-sans.woff2") format("woff2"); font-weight: 400 700; font-display: swap; }
:root { color-scheme: light dark; --ink: #1b2026; --soft: #59616a; --paper: #f6f5f1; --line: #dcd9d0; --accent: #0b6b5b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceae5; --soft: #a4abb1; --paper: #131619; --line: #2b3136; --accent: #62d2bb; }
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 "Instrument Sans", system-ui, sans-serif; }
header, main, footer { max-width: 76rem; margin: 0 auto; padding: 1.25rem 1.5rem; }
header { display: flex; align-items: baseline; justify-content: space-between; gap: 1.5rem; }
.name { margin: 0; font-weight: 600; color: var(--ink); }
nav { display: flex; gap: 1.5rem; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 2.5rem 4rem; align-items: center; padding-block: clamp(1rem, 6vh, 5rem); }
h1 { margin: 0; font-weight: 600; font-size: clamp(2.2rem, 1.4rem + 3.2vw, 3.8rem); line-height: 1.05; letter-spacing: -0.03em; text-wrap: balance; }
h2 { margin: 0; font-size: 1.1rem; }
p { margin: 0.5rem 0 0; color: var(--soft); }
.words > p { font-size: 1.15rem; margin-top: 1.2rem; max-width: 34rem; }
.ways { display: flex; flex-wrap: wrap; align-items: center; gap: 1rem 1.5rem; }
figure { margin: 0; }
section { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 2rem; padding-top: 2rem; border-top: 1px solid var(--line); }
code { display: block; margin-top: 0.5rem; font: 0.85em ui-monospace, monospace; color: var(--ink); overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 0.2em; }
header a, footer a { display: inline-block; padding: 0.35rem 0; }
a.first { padding: 0.7rem 1.3rem; border-radius: 0.5rem; background: var(--ink); color: var(--paper); font-weight: 600; text-decoration: none; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
footer { font-size: 0.9rem; }
`;
