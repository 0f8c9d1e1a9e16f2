import { expect, test } from "bun:test";
import { codeAt, newRecoveryCodes, newSecret, otpauthUrl, plainRecoveryCode, stepOf } from "./totp";

const rfc = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"; // "12345678901234567890"

test.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("RFC 6238 appendix B: at %d seconds the code is %s", (seconds, code) => {
  expect(codeAt(rfc, Math.floor(seconds / 30), 8)).toBe(code);
});

test("a code is good for its own half minute and the ones beside it", () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  expect(stepOf(rfc, "287082", at(59))).toBe(1);
  expect(stepOf(rfc, " 287 082 ", at(89))).toBe(1);
  expect(stepOf(rfc, "287082", at(29))).toBe(1);
  expect(stepOf(rfc, "287082", at(91))).toBeUndefined();
  for (const wrong of ["", "287083", "2870820", "28708", "０８７０８２", "287082x"])
    expect([wrong, stepOf(rfc, wrong, at(59))]).toEqual([wrong, undefined]);
});

test("secrets are 160 bits in base32, recovery codes ten different ones, however they are typed", () => {
  expect(newSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(otpauthUrl("ABC", "a&b@example.com", "Tides")).toBe(
    "otpauth://totp/Tides:a%26b%40example.com?secret=ABC&issuer=Tides",
  );
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[a-z2-7]{5}-[a-z2-7]{5}$/);
    expect(plainRecoveryCode(` ${code.toUpperCase().replace("-", " ")}`)).toBe(code.replace("-", ""));
  }
});
