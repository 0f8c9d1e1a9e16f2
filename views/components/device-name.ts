/**
 * Names a device, such as "Firefox on Linux", from the user agent. All words are our own: nothing that was sent is
 * repeated.
 */
export function deviceName(userAgent: string | null): string {
  const text = userAgent ?? "";
  const named = (names: [mark: string, name: string][]) => names.find(([mark]) => text.includes(mark))?.[1];
  const browser = named([
    ["Edg/", "Edge"],
    ["OPR/", "Opera"],
    ["Firefox/", "Firefox"],
    ["Chrome/", "Chrome"],
    ["Safari/", "Safari"],
  ]);
  const system = named([
    ["Windows", "Windows"],
    ["Android", "Android"],
    ["iPhone", "iPhone"],
    ["iPad", "iPad"],
    ["Mac OS", "macOS"],
    ["Linux", "Linux"],
  ]);
  return [browser ?? "A browser", system && `on ${system}`].filter(Boolean).join(" ");
}
