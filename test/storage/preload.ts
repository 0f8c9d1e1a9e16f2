/**
 * Has the tests of src/storage run against the server that STORAGE_TEST_ENDPOINT names:
 * `bun test --preload ./test/storage/preload.ts src/storage`.
 */
import { useServer } from "../../src/storage/testing";
import { openServer } from "./server";

useServer(await openServer());
