import type { JsonSchema, ResponseObject, Responses } from "./responses";

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: JsonSchema };
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Responses;
  "x-codeSamples"?: { lang: string; label: string; source: string }[];
};
export type OpenApi = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, ResponseObject> };
};
