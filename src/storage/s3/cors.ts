import { createHash } from "node:crypto";
import type { NodeClient } from "./client";
import { codeOf } from "./errors";

const id = "postroom";
const maxRulesBytes = 1024 * 1024; // bytes of rules; S3 allows 64 KB

/**
 * The bucket's rules for pages of other origins. MinIO has one setting for all buckets instead, and responds with
 * NotImplemented.
 */
export const corsOf = (client: NodeClient, bucket: string) => ({
  /** Returns the origins in our own rule. @throws like `allowOrigins` */
  async allowedOrigins(): Promise<string[]> {
    const ours = (await rulesOf(client, bucket)).filter(isOurs);
    return ours.flatMap((rule) => [...rule.matchAll(/<AllowedOrigin>([^<]*)</g)].map(([, origin = ""]) => origin));
  },
  /**
   * Lets pages of these origins upload and download. Other rules are kept. @throws NotImplemented, or if the rules
   * cannot be read
   */
  async allowOrigins(origins: Iterable<string>): Promise<void> {
    const others = (await rulesOf(client, bucket)).filter((rule) => !isOurs(rule));
    const xml = `<CORSConfiguration>${[...others, ruleFor(origins)].join("")}</CORSConfiguration>`;
    const headers = { "content-type": "application/xml", "content-md5": md5(xml) };
    await client.makeRequestAsyncOmit({ method: "PUT", bucketName: bucket, query: "cors", headers }, xml, [200, 204]);
  },
});

const isOurs = (rule: string) => rule.includes(`<ID>${id}</ID>`);

async function rulesOf(client: NodeClient, bucket: string): Promise<string[]> {
  try {
    const answer = await client.makeRequestAsync({ method: "GET", bucketName: bucket, query: "cors" });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer) {
      chunks.push(Buffer.from(chunk));
      if ((size += chunk.length) > maxRulesBytes) throw new Error("The CORS configuration has no rules");
    }
    const xml = Buffer.concat(chunks).toString();
    const rules = xml.match(/<CORSRule>[\s\S]*?<\/CORSRule>/g) ?? [];
    // A rule that could not be read would be lost, so nothing is written then
    if (rules.length !== (xml.match(/CORSRule\s*>/g)?.length ?? 0) / 2)
      throw new Error("The CORS configuration has rules Postroom cannot parse");
    return rules;
  } catch (error) {
    if (["NoSuchCORSConfiguration", "NotFound"].includes(codeOf(error))) return [];
    throw error;
  }
}

const ruleFor = (origins: Iterable<string>) =>
  [
    `<CORSRule><ID>${id}</ID>`,
    ...[...origins].map((origin) => `<AllowedOrigin>${origin}</AllowedOrigin>`),
    ...["GET", "HEAD", "PUT"].map((method) => `<AllowedMethod>${method}</AllowedMethod>`),
    "<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule>",
  ].join("");

const md5 = (text: string) => createHash("md5").update(text).digest("base64");
