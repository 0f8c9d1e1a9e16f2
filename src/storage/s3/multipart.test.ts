import { afterAll, expect, test } from "bun:test";
import { clientFor } from "./client";
import { listParts } from "./multipart";

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** The requests to a server with these pages, and the parts read from its responses. */
async function listed(uploadId: string, ...pages: string[]) {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      asked.push(new URL(url).search);
      const page = pages[asked.length - 1] ?? pages.at(-1);
      return new Response(page, { headers: { "content-type": "application/xml" } });
    },
  });
  closing.push(() => server.stop(true));
  const keys = { accessKey: "a", secretKey: "b", region: "us-east-1" };
  const client = clientFor(`http://127.0.0.1:${server.port}`, keys, 60_000);
  const parts = await listParts(client, "bucket", "key", uploadId).catch((error: Error) => error.message);
  return { asked, parts };
}

const page = (parts: string, more = "") =>
  `<?xml version="1.0"?><ListPartsResult xmlns="x">${parts}${more}</ListPartsResult>`;
const part = (number: number, more = "") =>
  `<Part>\n <PartNumber>${number}</PartNumber><ETag>&quot;e${number}&quot;</ETag><Size>${number}0</Size>${more}</Part>`;

test("an ID is sent as it is signed: Ceph's begin with 2~", async () => {
  const { asked } = await listed("2~a/b c*'", page(""));
  expect(asked).toEqual(["?uploadId=2~a%2Fb%20c%2A%27"]);
});

test("parts are listed page by page, with the checksums they were sent with", async () => {
  const checksums = "<ChecksumSHA256>47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=</ChecksumSHA256>";
  const { asked, parts } = await listed(
    "id",
    page(part(1, checksums) + part(2), "<IsTruncated>true</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker>"),
    page(part(3), "<IsTruncated>false</IsTruncated><NextPartNumberMarker>3</NextPartNumberMarker>"),
  );
  expect(asked).toEqual(["?uploadId=id", "?part-number-marker=2&uploadId=id"]);
  expect(parts).toEqual([
    { part: 1, size: 10, etag: "e1", checksums: { sha256: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" } },
    { part: 2, size: 20, etag: "e2" },
    { part: 3, size: 30, etag: "e3" },
  ]);
});

test("of a part that is listed twice, as SeaweedFS does after it was sent again, the later one counts", async () => {
  const at = (time: string) => `<LastModified>2026-11-27T02:00:${time}Z</LastModified>`;
  const later = part(1, at("01.500")).replace("e1", "later");
  for (const twice of [later + part(1, at("01.400")), part(1, at("01.400")) + later])
    expect((await listed("id", page(twice + part(2, at("00.100"))))).parts).toEqual([
      { part: 1, size: 10, etag: "later" },
      { part: 2, size: 20, etag: "e2" },
    ]);
});

test("a server that pages in a circle, or is not an S3 server, is an error", async () => {
  const more = "<IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>";
  expect((await listed("id", page(part(1), more))).asked).toHaveLength(2);
  expect((await listed("id", "<html>hello</html>")).parts).toBe("The answer lists no parts");
});

test("an invalid checksum is ignored", async () => {
  const odd =
    "<ChecksumSHA256>a&lt;b</ChecksumSHA256><ChecksumMD6>aaaa</ChecksumMD6><ChecksumCRC32>" +
    "a".repeat(200) +
    "</ChecksumCRC32>";
  expect((await listed("id", page(part(1, odd)))).parts).toEqual([{ part: 1, size: 10, etag: "e1" }]);
});
