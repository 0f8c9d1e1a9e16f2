import { content, named, type ResponseObject, type SchemaName } from "./responses";

/** A page for people. */
export const htmlPage = (description: string) => content(description, "text/html", { type: "string" });

/** Plain text, such as metrics for Prometheus. */
export const plainText = (description: string) => content(description, "text/plain", { type: "string" });

/** A feed or sitemap. XML stays text in generated clients: none of them can parse it. */
export const xml = (type: string) => content("The file.", type, { type: "string", contentMediaType: type });

/** JSON that is not in an envelope. */
export const bareJson = (data: SchemaName, description: string) =>
  content(description, "application/json", named(data));

export const redirect = (description: string) =>
  ({ description, headers: { Location: { schema: { type: "string" } } } }) satisfies ResponseObject;
