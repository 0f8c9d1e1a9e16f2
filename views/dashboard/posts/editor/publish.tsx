import type { Post } from "../../../../db/posts/posts";
import { isLater } from "../../../../db/posts/rules";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact, inBothZones } from "../../../components/time";
import { path } from "../state";

/** What a reader would miss, in words. None of it prevents publishing. */
export function checksOf({ excerpt, coverImage, content }: Pick<Post, "excerpt" | "coverImage" | "content">): string[] {
  const prose = content.replace(/```[\s\S]*?(```|$)|`[^`\n]*`/g, "");
  const silent = [...prose.matchAll(/!\[\s*\]\(|<img(?![^<>]*\salt=["{][^"}])[^<>]*>/g)].length;
  return [
    excerpt ? "" : "No excerpt: lists and feeds will show only the title.",
    coverImage ? "" : "No cover image.",
    content.trim() ? "" : "No text.",
    silent ? `${silent === 1 ? "1 image" : `${silent} images`} without alternative text.` : "",
  ].filter(Boolean);
}

type Question = {
  frame: Frame;
  post: Pick<Post, "id" | "slug" | "title" | "version" | "publishedAt">;
  postUrl: string;
  checks: string[];
};

export function PublishQuestion({ frame, post, postUrl, checks }: Question) {
  const isAhead = isLater(post, frame.now);
  return (
    <Form action={`${path}/${post.id}/publish`} token={frame.token} class="stack" label="Publish">
      <input type="hidden" name="version" value={String(post.version)} />
      <p>
        <strong class="wrap">{post.title}</strong>
      </p>
      <dl class="facts">
        <dt>URL</dt>
        <dd class="mono">{postUrl.replace("{slug}", post.slug)}</dd>
        <dt>Goes live</dt>
        <dd>
          {isAhead && post.publishedAt
            ? `${inBothZones(post.publishedAt, frame.preferences)}, automatically`
            : "Immediately"}
        </dd>
        {post.publishedAt && !isAhead && (
          <>
            <dt>Publish date</dt>
            <dd>{exact(post.publishedAt, frame.preferences)}</dd>
          </>
        )}
      </dl>
      {checks.length > 0 && (
        <div class="note">
          <Icon name="triangle-alert" />
          <ul class="checks">
            {checks.map((check) => (
              <li>{check}</li>
            ))}
          </ul>
        </div>
      )}
      <footer>
        <a class="btn" href={`${path}/${post.id}`} data-close data-focus>
          Cancel
        </a>
        <button type="submit" class="btn primary" id="publish-now">
          {isAhead ? "Schedule" : "Publish"}
        </button>
      </footer>
    </Form>
  );
}
