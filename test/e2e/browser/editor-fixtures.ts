import { store } from "../../support/storage/stored-files";
import type { Stage } from "./stage";

/** A text with some of everything that the preview knows, and three mistakes. */
const text = `import { Table } from "./table"

Late to the **sea**, {years} years <Badge>long</Badge>. [More](/more) ![The harbour](https://a.example/b.png)

<Callout type="warn">
  ## Mind the _gap_

  | Station | High |
  |---|---:|
  | Bergen | 06:14 |
</Callout>

- [x] Done
- [ ] To do

\`\`\`ts
const high = await tide("bergen");
\`\`\`

A <br> too long, <3 and </b>.
`;

/** The editor with problems in its text, and the images of Storage. */
export async function addEditorFixtures(stage: Stage): Promise<Record<string, string>> {
  await stage.storage.nodes.open();
  const { headers } = await stage.owner.submit("/dashboard/posts/new", { title: "Unfinished", content: text });
  await store(stage, { filename: "harbour.png", mimeType: "image/png" });
  return {
    "an editor with problems": headers.get("location") ?? "",
    "choose an image": "/dashboard/posts/pictures?for=cover-image",
    "choose an image, no match": "/dashboard/posts/pictures?q=nothing+like+it",
  };
}
