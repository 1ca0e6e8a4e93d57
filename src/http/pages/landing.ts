import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** The operator's settings of the page. */
export interface LandingTerms {
  readonly STUDIO: boolean;
  readonly STUDIO_NAME: string;
  /** The name under which the client library is on npm, if it is. */
  readonly CLIENT_PACKAGE?: string | undefined;
}

/** The page at `/`: an introduction, and links to the documentation. */
export const landingPage = ({
  STUDIO: hasStudio,
  STUDIO_NAME: name,
  CLIENT_PACKAGE: clientPackage,
}: LandingTerms): HtmlEscapedString | Promise<HtmlEscapedString> =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content="Pictures, videos and words in; a mask for every object out." />
        <title>${name}</title>
        <link rel="icon" href="${hasStudio ? "/studio/icon.svg" : "data:,"}" />
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
              Send a picture or a video with a few words, and get a mask for every object they name: as PNG,
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
                There is a client library for Node, browsers, Workers, Deno and Bun, with a command
                line${
                  clientPackage === undefined
                    ? "."
                    : html`: <code>npx ${clientPackage} segment photo.jpg -p cup -p spoon</code>`
                }
              </p>
            </div>
          </section>
        </main>
        <footer><a href="/healthz">Status</a></footer>
      </body>
    </html>`;
