import { fitsFrame, type GatewayAnswer, GatewayRequest, parsedJson } from "@segmentation/protocol";

/** The service's HTTP interface. */
export type HttpInterface = (request: Request) => Response | Promise<Response>;

/** Answers one frame of the gateway by the service's HTTP interface; null for a frame of another form. */
export async function answerFrame(
  text: string,
  http: HttpInterface,
  token: string,
): Promise<GatewayAnswer | null> {
  const request = GatewayRequest.safeParse(parsedJson(text)).data;
  if (request === undefined) return null;
  const { id, method, path, body } = request;
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${token}`);
  const response = await http(
    new Request(`http://gateway.internal${path}`, { method, headers, ...(body !== null && { body }) }),
  );
  const answer = {
    type: "answer",
    id,
    status: response.status,
    retryAfter: Number(response.headers.get("retry-after")) || null,
    body: await response.text(),
  } as const;
  return fitsFrame(JSON.stringify(answer)) ? answer : { ...answer, status: 500, body: "" };
}
