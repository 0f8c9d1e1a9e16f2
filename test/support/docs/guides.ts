import { join } from "node:path";

const folder = join(import.meta.dir, "../../../src/openapi/guides");
const guides = await Promise.all(
  [...new Bun.Glob("*.md").scanSync(folder)]
    .sort()
    .map(async (file) => ({ file, text: await Bun.file(join(folder, file)).text() })),
);

/** A block of code in a guide, and the guide and section that it is in. */
export type Block = { at: string; language: string; code: string };

export const blocks: Block[] = guides.flatMap(({ file, text }) =>
  text.split(/^## /m).flatMap((section) =>
    [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
      at: `${file}: ${section.split("\n", 1)[0]}`,
      language,
      code,
    })),
  ),
);

/** The blocks in TypeScript: each is a module, and some import the client from beside them. */
export const programs = blocks.filter(({ language }) => language === "ts");
