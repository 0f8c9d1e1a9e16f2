/** Preloaded where Firefox runs the tests: it does not end with the process that started it, as Chromium does. */
import { afterAll } from "bun:test";
import { closeFirefoxes } from "./browser";

afterAll(closeFirefoxes);
