/** Names and addresses of the machine itself: RFC 6761, 6.3 (localhost), RFC 1122, 3.2.1.3 (127/8 and 0), RFC 4291, 2.5.2 and 2.5.3. */
const LOOPBACK =
  /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])$/;

/** Whether a URL leads to the very machine that asks. A text that is no URL leads nowhere. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, "");
  return host !== undefined && LOOPBACK.test(host);
}
