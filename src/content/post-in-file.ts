import { extname } from "node:path";
import * as posts from "../../db/posts/posts";
import { readPost } from "./front-matter";
import { utf8Text } from "./utf8";

/** A file, with its path relative to the import. */
export type SourceFile = { name: string; bytes: () => Promise<Uint8Array> };

export async function postIn({ name, bytes }: SourceFile): Promise<{ post: posts.NewPost } | { reason: string }> {
  const content = await bytes();
  try {
    return { post: readPost(decoded(content), slugFromPath(name)) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function decoded(bytes: Uint8Array): string {
  const text = utf8Text(bytes);
  if (text === undefined) throw new Error("it is not valid UTF-8");
  return text;
}

/** Returns the slug from the file name, without a leading date; an index file takes the name of its folder. */
function slugFromPath(file: string): string {
  const [folder, name] = file.slice(0, -extname(file).length).split(/[\\/]/).slice(-2);
  const called = name === undefined ? folder : name === "index" ? folder : name;
  return (called ?? "").replace(/^\d{4}-\d{2}-\d{2}-(?=.)/, "");
}
