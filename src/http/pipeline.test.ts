import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { Elysia } from "elysia";
import { loadConfig } from "../platform/config";
import { createLog } from "../platform/log";
import { pipeline } from "./pipeline";

const piece = new Uint8Array(100_000);

test("HEAD reads at most a megabyte of an export, states no length, and closes what it reads", async () => {
  let [made, isOver] = [0, false];
  async function* list() {
    try {
      for (; made < 1_000; made++) yield piece;
    } finally {
      isOver = true;
    }
  }
  const area = new Elysia().get("/list", () => new Response(list(), { headers: { "content-type": "text/csv" } }));
  const handle = pipeline(() => area, {
    config: loadConfig({ APP_SECRET: "s".repeat(32), DATA_DIR: tmpdir() }),
    log: createLog("silent"),
    record: () => undefined,
    tryPrepared: () => undefined,
    mayUpload: async () => false,
    failure: (_request, _pathname, status) => new Response(null, { status }),
  });
  const ask = async (method: string) => handle(new Request("http://localhost/list", { method }));
  const answer = await ask("HEAD");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv"]);
  expect([answer.headers.has("content-length"), await answer.text()]).toEqual([false, ""]);
  expect(made).toBeLessThan(30);
  expect(isOver).toBe(true);
  made = 0;
  expect((await (await ask("GET")).arrayBuffer()).byteLength).toBe(100_000_000);
});
