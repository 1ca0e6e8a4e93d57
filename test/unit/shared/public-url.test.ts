import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { publicUrlRefusal, isLoopback } from "../../../src/shared/public-url.ts";

const DEPLOYED = { ownUrl: "https://api.example.org", allowsLocal: false };
const LAPTOP = { ownUrl: "http://127.0.0.1:8787", allowsLocal: true };

const complaintOf = (url: string, terms = DEPLOYED): string | undefined => {
  const refusal = publicUrlRefusal(url, terms);
  if (refusal !== null) expect(refusal).toMatchObject({ code: "url_forbidden", status: 400 });
  return refusal?.message;
};

describe("a URL that the service sends no request to", () => {
  it.each([
    // This machine: RFC 1122, RFC 4291.
    "https://127.0.0.1",
    "https://127.255.255.254/path",
    "https://[::1]",
    "https://[0:0:0:0:0:0:0:1]:8443",
    "https://0.0.0.0",
    "https://0.1.2.3",
    "https://[::]",
    // The same in other spellings of the URL standard.
    "https://0x7f.1",
    "https://0x7f000001",
    "https://2130706433",
    "https://017700000001",
    "https://0177.0.0.01",
    "https://127.1",
    "https://127.0.0.1.",
    "https://127.0.0.1%2e",
    "https://%31%32%37.0.0.1",
    "https://１２７.0.0.1",
    "https://127。0。0。1",
    "https:127.0.0.1",
    "https:/\\127.0.0.1",
    " https://127.0.0.1",
    "https://12\n7.0.0.1",
    "HTTPS://0",
    // Private networks: RFC 1918.
    "https://10.0.0.1",
    "https://10.255.255.255",
    "https://172.16.0.1",
    "https://172.31.255.255",
    "https://192.168.1.1",
    "https://0xc0a80101",
    // Link-local, carrier-grade NAT, multicast, broadcast, reserved and documentation: RFC 3927, 6598, 5771, 919, 1112, 5737, 2544.
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166",
    "https://100.64.0.1",
    "https://100.127.255.255",
    "https://224.0.0.1",
    "https://239.255.255.255",
    "https://255.255.255.255",
    "https://240.0.0.1",
    "https://192.0.2.1",
    "https://198.18.0.1",
    "https://192.0.0.170",
    // IPv6: link-local, site-local, unique local, multicast, documentation, discard, unassigned.
    "https://[fe80::1]",
    "https://[fec0::1]",
    "https://[fc00::1]",
    "https://[fd12:3456:789a::1]",
    "https://[ff02::1]",
    "https://[2001:db8::1]",
    "https://[100::1]",
    "https://[4000::1]",
    "https://[1fff::1]",
    // IPv4 inside of IPv6: mapped, compatible, translated, NAT64 (well-known and local), 6to4, Teredo.
    "https://[::ffff:127.0.0.1]",
    "https://[::ffff:7f00:1]",
    "https://[::FFFF:10.0.0.1]",
    "https://[::127.0.0.1]",
    "https://[::ffff:0:127.0.0.1]",
    "https://[64:ff9b::10.0.0.1]",
    "https://[64:ff9b:1::10.0.0.1]",
    "https://[2002:7f00:1::]",
    "https://[2002:c0a8:101::1]",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    // Names of no public host.
    "https://localhost",
    "https://LOCALHOST:8443",
    "https://localhost.",
    "https://ⓛocalhost",
    "https://api.localhost",
    "https://printer.local",
    "https://printer.local.",
    "https://metadata.google.internal",
    "https://metadata。google。internal",
    "https://home.arpa",
    "https://router.home.arpa",
    "https://intranet",
    "https://com.",
    "https://example..com",
    "https://.example.com",
    "https://example.com..",
  ])("is %j: its host is not public [A6-2]", (url) => {
    expect(complaintOf(url)).toMatch(
      /^The URL's host ".+" is not on the public Internet\. Send a URL whose host is publicly reachable\.$/,
    );
  });

  it.each([
    "http://example.com",
    "http://127.0.0.1:8787",
    "ftp://example.com/a.jpg",
    "file:///etc/passwd",
    "data:image/png;base64,AAAA",
    "javascript:alert(1)",
    "blob:https://example.com/1",
    "wss://example.com",
    "s3://bucket/key",
  ])("is %j: it is not https [A6-2]", (url) => {
    expect(complaintOf(url)).toBe("The URL must start with https://.");
  });

  it.each([
    "https://user@example.com",
    "https://user:secret@example.com",
    "https://:secret@example.com",
    "https://example.com@127.0.0.1",
    "http://user@127.0.0.1",
  ])("is %j: it has credentials, which the sentence does not repeat [A6-2]", (url) => {
    const complaint = "The URL contains a user name or a password. Remove them.";
    expect(complaintOf(url)).toBe(complaint);
    expect(complaintOf(url, LAPTOP)).toBe(complaint);
  });

  it.each([
    "",
    "example.com",
    "//example.com/a.jpg",
    "/a.jpg",
    "https://",
    "https://256.256.256.256",
    "https://1.2.3.4.5",
    "https://[fe80::1%25eth0]",
    "https://[fe80::1%eth0]",
    "https://[::1",
    "https://example.com:65536",
    "https://exa mple.com",
  ])("is %j: it cannot be read", (url) => {
    expect(complaintOf(url)).toBe("The URL cannot be read. Send an absolute one that begins with https://.");
  });

  it.each([
    "https://api.example.org",
    "https://API.example.org./v1/uploads/import",
    "https://api.example.org:8443",
    "https://api%2eexample.org",
  ])("is %j: it leads to the service itself [A6-2]", (url) => {
    expect(complaintOf(url)).toBe("The URL points to this service itself. Send a URL on another host.");
    expect(complaintOf(url, { ...DEPLOYED, ownUrl: "https://api.example.org.:443" })).toBeDefined();
  });

  it("is one of more than 2,048 characters", () => {
    const longest = "https://example.com/".padEnd(2_048, "a");
    expect(complaintOf(longest)).toBeUndefined();
    expect(complaintOf(`${longest}a`)).toBe("The URL is longer than 2048 characters.");
  });

  it("includes any non-public IPv4 address in any spelling [A6-2]", () => {
    const octet = fc.nat(255);
    const notPublic = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
      fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
    );
    const inBase = (base: number, value: number): string =>
      base === 16 ? `0x${value.toString(16)}` : base === 8 ? `0${value.toString(8)}` : String(value);
    const spelt = fc
      .tuple(
        notPublic,
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
      )
      .map(([octets, parts, bases]) => {
        const tail = octets.slice(parts - 1).reduce((sum, one) => sum * 256 + one, 0);
        return [...octets.slice(0, parts - 1), tail].map((one, at) => inBase(bases[at] ?? 10, one)).join(".");
      });
    fc.assert(
      fc.property(spelt, fc.constantFrom("", "."), (address, dot) => {
        expect(complaintOf(`https://${address}${dot}/a`)).toContain("is not on the public Internet");
        expect(complaintOf(`https://[::ffff:${new URL(`https://${address}`).hostname}]`)).toBeDefined();
      }),
    );
  });
});

describe("a URL that the service sends requests to", () => {
  it.each([
    "https://example.com",
    "https://example.com/",
    "HTTPS://EXAMPLE.COM/Picture.JPG",
    "https://example.com./a.jpg",
    "https://example.com:8443/a?b=c#d",
    "https://a.b.c.example.co.uk/a.jpg",
    "https://xn--bcher-kva.example/a.jpg",
    "https://bücher.example/a.jpg",
    "https://under_score.example.com",
    "https://localhost.example.com",
    "https://local.example.com",
    "https://internal.example.com",
    "https://mylocal.example",
    "https://notlocalhost.com",
    "https://my-internal.dev",
    "https://arpa.example",
    "https://127.0.0.1.example.com",
    "https://10.0.0.1.nip.io",
    "https://other.example.org",
    "https://example.org",
    "https://notapi.example.org",
    "https://1.1.1.1/a.jpg",
    "https://8.8.8.8:8443",
    "https://134744072",
    "https://9.255.255.255",
    "https://11.0.0.0",
    "https://172.15.255.255",
    "https://172.32.0.0",
    "https://100.63.255.255",
    "https://100.128.0.0",
    "https://[2606:4700:4700::1111]/a.jpg",
    "https://[2A00:1450:4001:81b::200e]",
    "https://@example.com/a",
  ])("is %j", (url) => {
    expect(complaintOf(url)).toBeUndefined();
    expect(complaintOf(url, LAPTOP)).toBeUndefined();
  });

  it("is any of https with a name of the public DNS, unless it is the service's own", () => {
    const label = fc.stringMatching(/^[a-z][a-z\d]{0,9}$/);
    const name = fc
      .array(label, { minLength: 1, maxLength: 4 })
      .map((labels) => [...labels, "net"].join("."));
    fc.assert(
      fc.property(name, fc.nat(65_535), (domain, port) => {
        const url = `https://${domain}:${port}/a.jpg`;
        expect(complaintOf(url)).toBeUndefined();
        expect(complaintOf(url, { ...DEPLOYED, ownUrl: `https://${domain}` })).toContain(
          "to this service itself",
        );
      }),
    );
  });
});

describe("on a laptop", () => {
  it.each(["http://127.0.0.1", "http://127.0.0.1:3000/a.jpg", "http://2130706433:3000", "http://127.1"])(
    "%j is allowed too",
    (url) => {
      expect(complaintOf(url, LAPTOP)).toBeUndefined();
      expect(complaintOf(url, { ...LAPTOP, allowsLocal: false })).toBeDefined();
    },
  );

  it.each([
    "http://127.0.0.2",
    "http://localhost:3000",
    "http://[::1]:3000",
    "https://127.0.0.1:3000",
    "http://10.0.0.1",
    "http://169.254.169.254",
    "http://example.com",
    "http://127.0.0.1:8787/v1/uploads/import",
  ])("%j is not", (url) => expect(complaintOf(url, LAPTOP)).toBeDefined());
});

describe("any text at all", () => {
  it("is either a URL of https with a host that is refused in no other spelling, or refused with a sentence", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.webUrl(), fc.ipV4Extended(), fc.ipV6()),
        (text) => {
          for (const url of [text, `https://${text}`, `https://[${text}]`]) {
            const complaint = complaintOf(url);
            if (complaint !== undefined) expect(complaint).toMatch(/^The URL.*\.$/);
            else expect(complaintOf(new URL(url).href)).toBeUndefined();
          }
        },
      ),
    );
  });
});

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
