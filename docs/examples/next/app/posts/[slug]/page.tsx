import { marked } from "marked";
import type { Metadata } from "next";
import { notFound, permanentRedirect } from "next/navigation";
import { cache } from "react";
import { postroom } from "../../../lib/postroom";

type Props = { params: Promise<{ slug: string }> };

/** Once for each page, not once more for its metadata. */
const read = cache((slug: string) => postroom.posts.get(slug));

export async function generateStaticParams() {
  const slugs: { slug: string }[] = [];
  for await (const { slug } of postroom.posts.all()) slugs.push({ slug });
  return slugs;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const post = await read((await params).slug);
  return post ? { title: post.title, description: post.excerpt } : {};
}

export default async function Page({ params }: Props) {
  const { slug } = await params;
  const post = await read(slug);
  if (!post) notFound();
  if (post.slug !== slug) permanentRedirect(`/posts/${post.slug}`);
  return (
    <article>
      <h1>{post.title}</h1>
      <time dateTime={post.publishedAt}>{new Date(post.publishedAt).toDateString()}</time>
      <div dangerouslySetInnerHTML={{ __html: marked.parse(post.content, { async: false }) }} />
    </article>
  );
}
