const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "other"];
const areas = ["/api/v1", "/api/newsletter", "/api/contact", "/api/posts", "/api/projects", "/dashboard", "/assets"];

/** Encodes method, area and status in one number, so that counting a request creates no strings. */
export function kindOf(method: string, pathname: string, status: number): number {
  const known = methods.indexOf(method);
  let area = 0;
  while (area < areas.length && !pathname.startsWith(areas[area] ?? "")) area++;
  return ((known < 0 ? methods.length - 1 : known) * 100 + area) * 1_000 + status;
}

export const labelsOf = (kind: number) => {
  const [method, area, status] = [Math.floor(kind / 100_000), Math.floor(kind / 1_000) % 100, kind % 1_000];
  return `method="${methods[method]}",area="${areas[area] ?? "other"}",status="${status}"`;
};
