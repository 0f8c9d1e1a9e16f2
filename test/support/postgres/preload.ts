/** Preloaded by `npm run test:postgres`: what a test opens as a file or in memory becomes a PostgreSQL database. */
import { afterAll, afterEach, beforeEach, mock } from "bun:test";
import type { Db } from "../../../db/engine/open";
import { altered, locations } from "../look";
import { databasesOn, open, urlOf } from "./databases";

const server = process.env.TEST_DATABASE_URL;
if (!server) throw new Error("TEST_DATABASE_URL is not set. Run the tests with npm run test:postgres.");

const databases = databasesOn(server);
const waitLimitMs = 60_000; // on a machine that is busy, a server that is silent for seconds is not gone

/** What is open: until the end of the test that opened it, or of the file. */
let [ofTest, ofFile]: { name: string; path: string; db: Db }[][] = [[], []];
let isInTest = false;

async function openDb(path: string): Promise<Db> {
  const others = [...(ofTest ?? []), ...(ofFile ?? [])];
  const same = path === ":memory:" ? undefined : others.find((other) => other.path === path);
  const name = same?.name ?? (await databases.take());
  const url = urlOf(server ?? "", name);
  const db = await open(url, waitLimitMs);
  locations.set(db, url);
  (isInTest ? ofTest : ofFile)?.push({ name, path, db });
  return db;
}

async function giveBack(opened: { name: string; db: Db }[] = []) {
  await Promise.all(opened.map(({ db }) => db.close()));
  for (const { name, db } of new Map(opened.map((each) => [each.name, each])).values())
    if (!altered.has(db)) databases.giveBack(name);
}

beforeEach(() => void (isInTest = true));
afterEach(async () => {
  isInTest = false;
  const ended = ofTest;
  ofTest = [];
  await giveBack(ended);
});
afterAll(async () => {
  const ended = ofFile;
  ofFile = [];
  await giveBack(ended);
});

mock.module("../../../db/open", () => ({ openDb }));
