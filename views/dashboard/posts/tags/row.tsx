import type { CountedTag } from "../../../../db/posts/tags/tags";
import { listUrl, number, plural } from "../../../components/list";
import { paths } from "../../../paths";

export const path = paths.tags;

export function TagRow({ tag: { slug, name, posts } }: { tag: CountedTag }) {
  const at = `${path}/${encodeURIComponent(slug)}`;
  const act = (verb: string, label: string, hotkey?: string) => (
    <a
      class="btn quiet sm"
      id={`${verb}-${slug}`}
      href={`${at}/${verb}`}
      hx-get={`${at}/${verb}`}
      hx-target="#dialog"
      data-hotkey={hotkey}
      aria-label={`${label} ${name}`}
    >
      {label}
    </a>
  );
  return (
    <tr role="row">
      <td class="main" role="cell">
        <span class="who">{name}</span>
        <span class="sub mono">{slug}</span>
      </td>
      <td class="when num-start" role="cell">
        <a
          href={listUrl({ path: paths.posts, query: {} }, { tag: slug })}
          aria-label={`${plural(posts, "post")} tagged ${name}`}
        >
          {number(posts)}
        </a>
        <span class="on-card"> {posts === 1 ? "post" : "posts"}</span>
      </td>
      <td class="acts" role="cell">
        {act("rename", "Rename")}
        {act("merge", "Merge")}
        {act("delete", "Delete", "#")}
      </td>
    </tr>
  );
}
