/** A request that S3 rejects. Clients look at the code. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string = code,
  ) {
    super(message);
  }
}

export const xml = (body: string, status = 200) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`, {
    status,
    headers: { "content-type": "application/xml" },
  });

/** `<Name>text</Name>` for each entry; the text is escaped. */
export const elements = (values: Record<string, string | number | boolean>) =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${escape(String(value))}</${name}>`)
    .join("");

export const failure = (error: Refused, method: string) =>
  method === "HEAD"
    ? new Response(null, { status: error.status })
    : xml(`<Error>${elements({ Code: error.code, Message: error.message })}</Error>`, error.status);

const escape = (text: string) => text.replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`);
