import { defineConfig } from "astro/config";

export default defineConfig({ site: process.env.BLOG_URL ?? "http://localhost:4321" });
