import { expect, test } from "bun:test";
import { encodeQuery, presign } from "./presign";

// docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
const aws = {
  accessKey: "AKIAIOSFODNN7EXAMPLE",
  secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const at = new Date("2013-05-24T00:00:00Z");

test("the published example of AWS is reproduced exactly", () => {
  const origin = "https://examplebucket.s3.amazonaws.com";
  expect(presign(aws, { method: "GET", origin, path: "/test.txt", expiresIn: 86_400 }, at)).toBe(
    `${origin}/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
  );
});

test("the length is part of the signature", () => {
  const url = (length: string) =>
    new URL(
      presign(
        aws,
        {
          method: "PUT",
          origin: "http://127.0.0.1:9000",
          path: "/bucket/u/1",
          query: { partNumber: "1", uploadId: "a+b/c=" },
          headers: { "content-length": length },
          expiresIn: 3_600,
        },
        at,
      ),
    ).searchParams;
  expect(url("5").get("X-Amz-SignedHeaders")).toBe("content-length;host");
  expect(url("5").get("uploadId")).toBe("a+b/c=");
  expect(url("5").get("X-Amz-Signature")).not.toBe(url("6").get("X-Amz-Signature"));
});

test("names are encoded as RFC 3986 wants, slashes of the path kept", () => {
  const url = presign(aws, { method: "GET", origin: "http://s3.example", path: "/b/ä (1)*.txt", expiresIn: 60 }, at);
  expect(url).toStartWith("http://s3.example/b/%C3%A4%20%281%29%2A.txt?");
});

test("a query is signed in the order of its names, and of the values of one name", () => {
  expect(
    encodeQuery([
      ["b", "1"],
      ["a-c", "0"],
      ["a", "2"],
      ["a", "1"],
    ]),
  ).toBe("a=1&a=2&a-c=0&b=1");
});
