import { expect, test } from "bun:test";
import openapiTS, { astToString } from "openapi-typescript";
import { testService } from "../../test/support/service";
import { compile } from "../../test/support/typescript";

/** What a client's developer writes against the generated types: codes and event types narrow. */
const usage = `
import type { components, operations, webhooks } from "./schema";
type Schemas = components["schemas"];

export function retryable({ error }: Schemas["Failure"]): boolean {
  switch (error.code) {
    case "RATE_LIMITED": case "OVERLOADED": case "INTERNAL_ERROR": return true;
    case "VALIDATION_ERROR": return error.details?.some(({ field }) => field === "") ?? false;
    default: return false;
  }
}
type Bodies = components["requestBodies"];
export function subjectOf(event: Bodies[keyof Bodies]["content"]["application/json"]): string {
  switch (event.type) {
    case "post.published": case "post.updated": case "post.unpublished": return event.data.slug;
    case "broadcast.sent": return event.data.subject + event.data.accepted.toFixed();
    case "message.received": return event.data.email ?? event.data.id;
    default: return event.data.id;
  }
}
export const posts = (answer: operations["listPosts"]["responses"][200]["content"]["application/json"]) =>
  answer.data.posts.map(({ slug, readingTime, tags }) => [slug, readingTime + 1, tags[0]?.name] as const);
export const input: Schemas["SubscribeInput"] = { email: "ada@example.com", name: null };
export const upload: Schemas["UploadInput"] = { filename: "a.txt", mimeType: "text/plain", size: 5 };
export const ping: webhooks["ping"]["post"]["requestBody"]["content"]["application/json"]["type"] = "ping";
`;
const misuse = `
import type { components } from "./schema";
export const code: components["schemas"]["Failure"]["error"]["code"] = "TEAPOT";
export const input: components["schemas"]["SubscribeInput"] = { name: "Ada" };
`;

test("types that are generated from the document compile under strict, and say what is wrong", async () => {
  const document = await (await (await testService()).get("/openapi.json")).text();
  const schema = astToString(await openapiTS(document));
  expect(compile({ "/schema.ts": schema, "/usage.ts": usage, "/misuse.ts": misuse })).toEqual([
    expect.stringContaining("/misuse.ts:3 Type '\"TEAPOT\"' is not assignable"),
    expect.stringContaining("/misuse.ts:4 "),
  ]);
});
