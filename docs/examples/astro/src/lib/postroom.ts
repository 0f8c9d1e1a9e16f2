import { createClient } from "postroom/client";

export const baseUrl = process.env.POSTROOM_URL ?? "http://localhost:3000";

export const postroom = createClient({ baseUrl, key: process.env.POSTROOM_KEY ?? "" });
