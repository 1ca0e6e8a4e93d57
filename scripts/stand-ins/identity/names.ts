/** The one registered client: the stand-in's own page. Public, so it proves itself by PKCE alone. */
export const CLIENT_ID = "stand-in-page";
/** Where the page's sign-ins come back to. */
export const CALLBACK_PATH = "/signed-in";
/** The API that the access tokens are for: their `aud`. */
export const AUDIENCE = "urn:segmentation-job-service";
