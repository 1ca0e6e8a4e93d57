import { describe, expect, it } from "vitest";
import { isLoopback } from "../../../../src/core/lib/loopback.ts";

describe("an address of the machine itself", () => {
  it.each([
    "http://127.0.0.1:8787",
    "https://127.9.8.7/path",
    "http://127.10.20.30",
    "http://127.1",
    "http://2130706433",
    "http://0x7f000001:80",
    "http://localhost:3000",
    "http://LOCALHOST",
    "http://localhost.",
    "http://api.localhost",
    "http://[::1]:8787",
    "http://[::]",
    "http://0.0.0.0:8788",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:127.10.0.1]",
    "http://[::ffff:127.0.1.1]",
    "http://[::ffff:0.0.0.0]",
  ])("is %s", (url) => expect(isLoopback(url)).toBe(true));

  it.each([
    "https://api.example.com",
    "http://10.0.0.1",
    "http://128.0.0.1",
    "http://1.127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://notlocalhost",
    "http://[2001:db8::1]",
    "http://[::ffff:10.0.0.1]",
    "http://[::2]",
    "http://10.0.0.0",
    "localhost",
    "",
  ])("is not %j", (url) => expect(isLoopback(url)).toBe(false));
});
