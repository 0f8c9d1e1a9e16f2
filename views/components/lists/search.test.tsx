import { expect, test } from "bun:test";
import { SearchForm } from "./search";

test("a search keeps the rest of the URL, and sends each of its own fields once", () => {
  const query = { q: "ada", page: "3", status: "active", sort: "", source: "blog", from: "2026-11-21" };
  const form = String(
    <SearchForm
      state={{ path: "/list", query }}
      label="Search"
      filters={[
        { name: "source", label: "Source", all: "Every source", options: ["blog", "landing"] },
        { name: "tag", label: "Tag", all: "Every tag", options: [] },
        { period: "Date" },
      ]}
    />,
  );
  const names = [...form.matchAll(/ name="(\w+)"/g)].map(([, name]) => name);
  expect(names).toEqual(["q", "status", "source", "from", "to"]);
  expect(form).toContain('<option value="blog" selected>blog</option>');
  expect(form).toMatch(/<input [^>]*name="from" value="2026-11-21"/);
});
