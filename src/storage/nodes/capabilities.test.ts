import { expect, test } from "bun:test";
import { capabilitiesOf } from "./capabilities";

const place = {
  name: "attic",
  kind: "managed" as const,
  endpoint: "https://s3.example",
  publicEndpoint: "https://files.example",
  bucket: "parcels",
};
const site = "https://site.example";
const of = (probe: Record<string, string> | null, more: object = {}) =>
  capabilitiesOf({ ...place, ...more, probe }, [site]);
const wrong = (probe: Record<string, string>, more: object = {}) => of(probe, more).filter(({ fix }) => fix);

test("checks come in the order of an upload, and what was not reached is unknown", () => {
  expect(of({ bucket: "ok", initiate: "AccessDenied" }).map(({ check, state }) => [check, state])).toEqual([
    ["bucket", "fine"],
    ["initiate", "broken"],
    ["put", "unknown"],
    ["length", "unknown"],
    ["cut", "unknown"],
    [`cors ${site}`, "unknown"],
    ["list", "unknown"],
    ["complete", "unknown"],
    ["stat", "unknown"],
    ["delete", "unknown"],
    ["clock", "unknown"],
  ]);
  expect(of(null).every(({ state, fix }) => state === "unknown" && !fix)).toBe(true);
});

test.each([
  ["ECONNREFUSED", "No server is listening", "curl"],
  ["Timeout", "does not respond in time", "curl"],
  ["ENOTFOUND", "cannot be resolved", "getent hosts s3.example"],
  ["NotS3", "not like an S3 server", "curl"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "is not trusted here", "NODE_EXTRA_CA_CERTS"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "does not speak TLS", "curl"],
  ["SignatureDoesNotMatch", "secret key does not match", "proxy_set_header Host"],
  ["InvalidAccessKeyId", "does not know the access key", ""],
  ["XAdminUserNotFound", "does not know the access key", ""],
  ["AccessDenied", "lack the permissions that uploads need", "arn:aws:s3:::parcels/*"],
  ["NoSuchBucket", "bucket parcels does not exist", "create-bucket --endpoint-url https://s3.example --bucket parcels"],
  ["XMinioStorageFull", "The server is full", "df -h"],
  ["InsufficientStorage", "The server is full", "df -h"],
  ["NoSpaceLeft", "The server is full", "df -h"],
  ["RequestTimeTooSkewed", "15 minutes", "timedatectl"],
  ["AuthorizationHeaderMalformed", "a different region", "get-bucket-location"],
  ["SecretUnreadable", "APP_SECRET has changed", ""],
  ["SomethingNew", "returned SomethingNew", ""],
])("%s is explained, with what to do", (code, problem, command) => {
  const [found, ...others] = wrong({ bucket: code });
  expect([found?.state, found?.fix?.problem, others]).toEqual(["broken", expect.stringContaining(problem), []]);
  expect(found?.fix?.action).toMatch(/\.$/);
  expect(found?.fix?.commands?.join("\n") ?? "").toContain(command);
});

test.each([
  ["1200", "1200 seconds ahead of this server’s"],
  ["-1200", "1200 seconds behind this server’s"],
])("a clock that is %s seconds off is explained by its direction", (clock, words) => {
  const fixes = wrong({ clock }).map(({ fix }) => fix?.problem);
  expect(fixes).toEqual([expect.stringContaining(words)]);
});

test("where the configuration sets the node up, it is the variable that is corrected", () => {
  const [found] = wrong({ bucket: "InvalidAccessKeyId" }, { kind: "environment" });
  expect(found?.fix?.action).toBe(
    "Correct MINIO_ACCESS_KEY and MINIO_SECRET_KEY in the environment and restart the service.",
  );
});

test("flaws come with a fix, and do not break the node", () => {
  const found = wrong({ bucket: "ok", length: "taken", cut: "listed", [`cors ${site}`]: "refused", clock: "-61" });
  expect(found.map(({ check, state }) => [check, state])).toEqual([
    ["length", "flawed"],
    ["cut", "flawed"],
    [`cors ${site}`, "flawed"],
    ["clock", "flawed"],
  ]);
  const [, , cors, clock] = found.map(({ fix }) => fix);
  expect(clock?.problem).toContain("61 seconds behind");
  const rules = /'(\{.*\})'/.exec(cors?.commands?.[0] ?? "")?.[1] ?? "";
  expect(JSON.parse(rules)).toMatchObject({ CORSRules: [{ AllowedOrigins: [site], ExposeHeaders: ["ETag"] }] });
  expect(cors?.commands?.[1]).toBe(`mc admin config set ALIAS api cors_allow_origin="${site}"`);
  expect(wrong({ bucket: "ok", clock: "60" })).toEqual([]);
});
