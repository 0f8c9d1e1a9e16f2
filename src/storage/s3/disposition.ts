/** RFC 6266: a plain name for old programs, the real one for the others. */
const named = (kind: "attachment" | "inline", filename: string) =>
  `${kind}; filename="${filename.replace(/[^ !#-[\]-~]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;

export const attachment = (filename: string) => named("attachment", filename);
export const inline = (filename: string) => named("inline", filename);

/** Types that a browser only shows. HTML, SVG and XML can run scripts, so they are not among them, nor is any "+xml". */
export const isShown = (mimeType: string) =>
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|(video|audio)\/(?![\w.+-]*\+xml)[\w.+-]+|application\/pdf)\s*(;|$)/i.test(
    mimeType,
  );
