import { describe, expect, setDefaultTimeout, test } from "bun:test";
import * as fflate from "fflate";
import { deflateRawSync } from "node:zlib";
import { NotAnArchive, unzip, zip } from "./zip";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const limits = { files: 1_000, each: 1_000_000, total: 5_000_000 };
const all = () => true;
const text = (bytes?: Uint8Array) => new TextDecoder().decode(bytes);

async function packed(files: Record<string, string>): Promise<Buffer> {
  async function* each() {
    for (const [name, text] of Object.entries(files)) yield { name, bytes: Buffer.from(text) };
  }
  return Buffer.concat(await Array.fromAsync(zip(each())));
}

const unpacked = (archive: Buffer, more: Partial<typeof limits> = {}, isWanted: (name: string) => boolean = all) =>
  Object.fromEntries(
    [...unzip(archive, { ...limits, ...more }, isWanted)].map(({ name, bytes }) => [name, bytes.toString()]),
  );

/** Whole numbers of so many bytes each, the lowest byte first. */
const little = (bytes: number, ...values: number[]) =>
  Buffer.concat(
    values.map((value) => {
      const all = Buffer.alloc(8);
      all.writeBigUInt64LE(BigInt(value));
      return all.subarray(0, bytes);
    }),
  );

const files = { "a.mdx": "A", "folder/b.mdx": "B".repeat(5_000), "ж.mdx": "", "📮.md": "🛟" };

describe("our own archive", () => {
  test("gives the files back, and is the same bytes for the same files", async () => {
    const archive = await packed(files);
    expect(unpacked(archive)).toEqual(files);
    expect(await packed(files)).toEqual(archive);
    expect(unpacked(await packed({}))).toEqual({});
  });

  test("is read by another program, and its archives by us", async () => {
    const read = fflate.unzipSync(await packed(files));
    expect(Object.fromEntries(Object.entries(read).map(([name, bytes]) => [name, text(bytes)]))).toEqual(files);

    const theirs = fflate.zipSync({
      "stored.md": [Buffer.from("S"), { level: 0, comment: "hello" }],
      "folder/": [new Uint8Array(), {}],
      "folder/deflated.md": Buffer.from("D".repeat(999)),
    });
    expect(unpacked(Buffer.from(theirs))).toMatchObject({ "stored.md": "S", "folder/deflated.md": "D".repeat(999) });
  });

  test("with a file that says it is encrypted is refused by that file's name", async () => {
    const archive = await packed({ "a.mdx": "A" });
    const entry = archive.indexOf(little(4, 0x0201_4b50));
    archive[entry + 8] = 1;
    expect(() => unpacked(archive)).toThrow("a.mdx is encrypted.");
  });

  test("of more than 65,535 files is one for another program too (ZIP64)", async () => {
    async function* many() {
      for (let i = 0; i < 65_540; i++) yield { name: `${i}.mdx`, bytes: Buffer.from("x") };
    }
    const archive = Buffer.concat(await Array.fromAsync(zip(many())));
    const read = fflate.unzipSync(archive);
    expect(Object.keys(read)).toHaveLength(65_540);
    expect(text(read["65539.mdx"])).toBe("x");
    expect(() => unpacked(archive, { files: 1_000_000 })).toThrow(NotAnArchive); // by us, its 65,535 are not believed

    // APPNOTE 4.3.14 to 4.3.16: one archive on one disk, the first
    const ends = archive.subarray(-98);
    const [start, size] = [Number(ends.readBigUInt64LE(48)), Number(ends.readBigUInt64LE(40))];
    expect([start + size + 98, archive.readUInt32LE(start)]).toEqual([archive.length, 0x0201_4b50]);
    expect(ends).toEqual(
      Buffer.concat([
        little(4, 0x0606_4b50),
        little(8, 44),
        little(2, 45, 45),
        little(4, 0, 0),
        little(8, 65_540, 65_540, size, start),
        little(4, 0x0706_4b50, 0),
        little(8, start + size),
        little(4, 1),
        little(4, 0x0605_4b50),
        little(2, 0, 0, 0xffff, 0xffff),
        little(4, size, start),
        little(2, 0),
      ]),
    );
  });
});

describe("another program's archive", () => {
  const refusal = (archive: Buffer, more: Partial<typeof limits> = {}) => {
    try {
      return unpacked(archive, more);
    } catch (error) {
      expect(error).toBeInstanceOf(NotAnArchive);
      return (error as Error).message;
    }
  };

  test("may have a comment, even one that looks like the end of an archive", async () => {
    const comment = Buffer.concat([Buffer.from("PK\u0005\u0006"), Buffer.alloc(40)]);
    const archive = Buffer.concat([await packed(files), comment]);
    archive.writeUInt16LE(comment.length, archive.length - comment.length - 2);
    expect(unpacked(archive)).toEqual(files);
  });

  test("may contain unwanted files, which are not even unpacked", async () => {
    const archive = await packed({ ...files, "image.png": "x".repeat(2_000_000) });
    expect(unpacked(archive, {}, (name) => name.endsWith("mdx"))).not.toContainKey("image.png");
  });

  test("is refused when a file, all files together, or their number is too large, whatever it says of itself", async () => {
    expect(refusal(await packed({ "bomb.md": "0".repeat(1_000_001) }))).toContain(
      "bomb.md, or the archive as a whole, is too large",
    );
    const several = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.md`, "0".repeat(900_000)]));
    expect(refusal(await packed(several))).toContain("the archive as a whole");
    expect(refusal(await packed(files), { files: 3 })).toContain("more than 3 files");
    const liar = await packed({ "liar.md": "0".repeat(3_000_000) });
    for (const record of [0, liar.indexOf(Buffer.from("PK\u0001\u0002"))])
      liar.writeUInt32LE(10, record === 0 ? 22 : record + 24);
    expect(refusal(liar)).toContain("liar.md, or the archive as a whole, is too large");
  });

  test("is refused when one packed body is named again and again", async () => {
    const body = deflateRawSync(Buffer.alloc(900_000));
    const archive = await packed({ "a.md": "0".repeat(900_000) });
    expect(archive.length).toBeLessThan(body.length + 500);
    const directory = archive.subarray(archive.indexOf(Buffer.from("PK\u0001\u0002")), archive.length - 22);
    const start = archive.length - 22 - directory.length;
    const end = Buffer.from(archive.subarray(-22));
    end.writeUInt16LE(500, 8);
    end.writeUInt16LE(500, 10);
    const overlapping = Buffer.concat([
      archive.subarray(0, start),
      ...Array.from({ length: 500 }, () => directory),
      end,
    ]);
    expect(refusal(overlapping)).toContain("the archive as a whole");
  });

  test("is rejected if it is not an archive, truncated or damaged anywhere, with no other error", async () => {
    expect(refusal(Buffer.from("No archive at all, but long enough to be one"))).toBe("This is not a ZIP archive.");
    expect(refusal(Buffer.alloc(0))).toBe("This is not a ZIP archive.");
    const archive = await packed({ "a.mdx": "A lamp was lit at six.", "b.mdx": "B" });
    for (let length = 0; length < archive.length; length++)
      expect(refusal(archive.subarray(0, length))).toBe("This is not a ZIP archive.");
    for (let at = 0; at < archive.length; at++)
      for (const flip of [1, 0x80, 0xff]) {
        const spoiled = Buffer.from(archive);
        spoiled[at] = (spoiled[at] ?? 0) ^ flip;
        refusal(spoiled); // a name or a time may differ; what is read never does
      }
  });
});
