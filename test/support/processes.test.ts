import { expect, test } from "bun:test";
import { freePort } from "./processes";

test("a free port is none that other servers or clients are given", () => {
  const given = Array.from({ length: 20 }, () => Bun.serve({ port: 0, fetch: () => new Response() }));
  const lowest = Math.min(...given.map(({ port }) => port ?? 0));
  expect(Array.from({ length: 20 }, freePort).filter((port) => port >= lowest)).toEqual([]);
  for (const server of given) void server.stop(true);
});
