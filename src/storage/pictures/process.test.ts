import { expect, test } from "bun:test";
import { draw } from "../../../test/support/storage/pictures";
import { PictureProcess } from "./process";

const size = { width: 320, format: "webp" } as const;

test("a picture that takes too long is given up, and the next one is read", async () => {
  const bytes = await draw({ width: 900, height: 600 });
  expect(await new PictureProcess(0).read(bytes, size)).toEqual({ outcome: "killed" });
  const patient = new PictureProcess(600_000);
  for (let round = 0; round < 2; round++) expect(await patient.read(bytes, size)).toMatchObject({ outcome: "read" });
  patient.close();
});

test("sizes of an AVIF are made up to 16 megapixels, as of phones' photos, again and again", async () => {
  const bytes = await draw({ width: 4_608, height: 3_456, format: "avif" });
  const reader = new PictureProcess(600_000);
  for (let round = 0; round < 2; round++)
    expect(await reader.read(bytes, size)).toMatchObject({ outcome: "read", facts: { width: 4_608 } });
  reader.close();
}, 300_000);
