import type { testService } from "../service";

type Service = Pick<Awaited<ReturnType<typeof testService>>, "clock" | "storage">;
type Content = { filename?: string; mimeType?: string; folderPath?: string; body?: string | Uint8Array<ArrayBuffer> };

/** Uploads these files, all bytes of them, and returns their ids. The clock goes on for a few seconds meanwhile. */
export async function store({ clock, storage }: Service, ...contents: Content[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { filename = "a.txt", mimeType = "text/plain", folderPath = "", body = "12345" } of contents) {
    const grant = await storage.reserve({ filename, mimeType, folderPath, size: Buffer.byteLength(body) });
    if (typeof grant === "string") throw new Error("The storage is full");
    const answer = await fetch(grant.uploadUrl, { method: "PUT", body });
    if (!answer.ok) throw new Error(`The storage answered ${answer.status}`);
    ids.push(grant._meta.reservationId);
  }
  for (const seconds of [1, 4, 4]) {
    clock.time += seconds * 1_000;
    await storage.sweep();
  }
  return ids;
}
