/** What a page without a script sends. */
export const formType = "application/x-www-form-urlencoded";

/** Returns the form that a page without a script sent; undefined if the body is none, or too long. */
export async function formOf(request: Request, maxCharacters: number): Promise<URLSearchParams | undefined> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = type === formType ? await request.text() : undefined;
  return text !== undefined && text.length <= maxCharacters ? new URLSearchParams(text) : undefined;
}
