import { afterEach, expect, jest, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { draw } from "../../../test/support/storage/pictures";
import { PictureProcess } from "./process";
import { testTimeoutMs } from "../../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const size = { width: 320, format: "webp" } as const;

afterEach(() => void jest.useRealTimers());

test("a picture that takes too long is given up, and the next one is read", async () => {
  const bytes = await draw({ width: 900, height: 600 });
  expect(await new PictureProcess(0).read(bytes, size)).toEqual({ outcome: "killed" });
  const patient = new PictureProcess(600_000);
  for (let round = 0; round < 2; round++) expect(await patient.read(bytes, size)).toMatchObject({ outcome: "read" });
  patient.close();
});

/** Stops the process that reads pictures, which may otherwise be done before this one has looked at its clock. */
function stopReader() {
  const isReader = (pid: string) =>
    readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[1] === String(process.pid) &&
    readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("pictures/child.ts");
  for (const pid of readdirSync(`/proc`).filter((name) => /^\d+$/.test(name)))
    try {
      if (isReader(pid)) process.kill(Number(pid), "SIGSTOP");
    } catch {
      // another program's, which has ended
    }
}

const onLinux = test.skipIf(process.platform !== "linux"); // others do not tell how much a process has worked

onLinux(
  "while a machine has no time for it, a picture is waited for, at the start and later; but not for ever",
  async () => {
    const bytes = await draw({ width: 900, height: 600 });
    jest.useFakeTimers();
    const reader = new PictureProcess();
    const readAfter = (ms: number, isStopped = false) => {
      if (isStopped) stopReader();
      const reading = reader.read(bytes, size);
      if (isStopped) stopReader(); // it is another one, if the earlier one was killed
      jest.advanceTimersByTime(ms);
      return reading;
    };
    expect(await readAfter(240_000)).toMatchObject({ outcome: "read" });
    expect(await readAfter(240_000)).toMatchObject({ outcome: "read" });
    expect(await readAfter(300_000, true)).toEqual({ outcome: "killed" });
    expect(await readAfter(300_000, true)).toEqual({ outcome: "unstarted" }); // which is not the picture's fault
    expect(await readAfter(0)).toMatchObject({ outcome: "read" });
    reader.close();
  },
);

test("sizes of an AVIF are made up to 16 megapixels, as of phones' photos, again and again", async () => {
  const bytes = await draw({ width: 4_608, height: 3_456, format: "avif" });
  const reader = new PictureProcess(600_000);
  for (let round = 0; round < 2; round++)
    expect(await reader.read(bytes, size)).toMatchObject({ outcome: "read", facts: { width: 4_608 } });
  reader.close();
});
