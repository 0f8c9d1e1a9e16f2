import { createClient } from "postroom/client";

export const postroom = createClient({
  baseUrl: process.env.POSTROOM_URL ?? "http://localhost:3000",
  key: process.env.POSTROOM_KEY ?? "",
});
