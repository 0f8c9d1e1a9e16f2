import { loadConfig } from "../platform/config";
import { serve } from "../boot/serve";
import type { Command } from "./command";

export const commands: Command[] = [
  { usage: "serve", about: "Start the service (what `npm start` runs)", run: () => serve(loadConfig()) },
];
