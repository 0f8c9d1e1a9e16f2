import Link from "next/link";
import { postroom } from "../lib/postroom";
import { SubscribeForm } from "./subscribe-form";

export default async function Page() {
  const { items } = await postroom.posts.list({ limit: 50 });
  return (
    <>
      <h1>Field notes</h1>
      <ul className="posts">
        {items.map((post) => (
          <li key={post.id}>
            <Link href={`/posts/${post.slug}`}>{post.title}</Link>
            <p>{post.excerpt}</p>
          </li>
        ))}
      </ul>
      <SubscribeForm />
    </>
  );
}
