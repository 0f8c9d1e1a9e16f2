/** The most fields, files or items in a large body: parsing each costs far more than its bytes. */
export const maxFields = 5_000;

/** Whether a body has more than `maxFields` of them. Looks at each byte once, before anything is parsed. */
export function hasTooManyFields(contentType: string, body: Uint8Array): boolean {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return occursMore(maxFields - 1, body, "&");
  if (!/^multipart\/form-data\b/i.test(contentType)) return hasMoreItems(body);
  const [, boundary] = /^multipart\/form-data\s*;\s*boundary="?([^\s";]{1,70})"?\s*$/i.exec(contentType) ?? [];
  return boundary === undefined || occursMore(maxFields + 1, body, `--${boundary}`); // the last one is the end
}

/** Whether `text` occurs in the body more than `max` times. */
function occursMore(max: number, body: Uint8Array, text: string): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let times = 0;
  for (let at = bytes.indexOf(text); at >= 0 && times <= max; at = bytes.indexOf(text, at + text.length)) times++;
  return times > max;
}

/** Whether this JSON has more values: each follows a comma, or begins a list or an object. */
function hasMoreItems(json: Uint8Array): boolean {
  let items = 0;
  let isText = false;
  for (let at = 0; at < json.length && items <= maxFields; at++) {
    const byte = json[at];
    if (byte === quote) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === openBracket || byte === openBrace) items++;
  }
  return items > maxFields;
}

const [quote, backslash, comma, openBracket, openBrace] = Buffer.from('"\\,[{');
