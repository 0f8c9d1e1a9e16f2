import type { Post } from "../../../../db/posts/posts";
import { Form } from "../../../components/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact } from "../../../components/time";
import { path } from "../state";

/** What a reader would miss: each in words, none of them a reason not to publish. */
export function checksOf({ excerpt, coverImage, content }: Pick<Post, "excerpt" | "coverImage" | "content">): string[] {
  const prose = content.replace(/```[\s\S]*?(```|$)|`[^`\n]*`/g, "");
  const silent = [...prose.matchAll(/!\[\s*\]\(|<img(?![^<>]*\salt=["{][^"}])[^<>]*>/g)].length;
  return [
    excerpt ? "" : "There is no excerpt: lists and feeds show nothing below the title.",
    coverImage ? "" : "There is no cover image.",
    content.trim() ? "" : "There is no text.",
    silent
      ? `${silent === 1 ? "An image has" : `${silent} images have`} no description for people who cannot see it.`
      : "",
  ].filter(Boolean);
}

type Question = {
  frame: Frame;
  post: Pick<Post, "id" | "slug" | "title" | "version" | "publishedAt">;
  blogUrl: string;
  checks: string[];
};

export function PublishQuestion({ frame, post, blogUrl, checks }: Question) {
  const isLater = post.publishedAt && post.publishedAt > frame.now;
  return (
    <Form action={`${path}/${post.id}/publish`} token={frame.token} class="stack" label="Publish">
      <input type="hidden" name="version" value={String(post.version)} />
      <p>
        <strong class="wrap">{post.title}</strong>
      </p>
      <dl class="facts">
        <dt>Address</dt>
        <dd class="mono">
          {blogUrl}/posts/{post.slug}
        </dd>
        <dt>Appears</dt>
        <dd>{isLater ? `by itself, ${exact(post.publishedAt as Date, frame.preferences.timeZone)}` : "at once"}</dd>
        {post.publishedAt && !isLater && (
          <>
            <dt>Dated</dt>
            <dd>{exact(post.publishedAt, frame.preferences.timeZone)}</dd>
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
          Not yet
        </a>
        <button type="submit" class="btn primary" id="publish-now">
          {isLater ? "Schedule" : "Publish"}
        </button>
      </footer>
    </Form>
  );
}
