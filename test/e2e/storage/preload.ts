/**
 * Has the tests of src/storage run against the server that STORAGE_TEST_ENDPOINT names:
 * `bun test --preload ./test/e2e/storage/preload.ts src/storage`.
 */
import { useServer } from "../../support/storage/storage";
import { openServer } from "./server";

useServer(await openServer());
