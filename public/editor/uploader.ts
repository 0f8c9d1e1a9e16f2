/** Loads the upload script of Storage on first use. */
export const uploader = (source: string) =>
  new Promise<NonNullable<typeof window.postroomUpload>>((resolve, reject) => {
    const there = () =>
      window.postroomUpload
        ? resolve(window.postroomUpload)
        : reject(new Error("The uploader did not load. Reload the page."));
    if (window.postroomUpload) return there();
    const script = document.createElement("script");
    script.src = source;
    script.onload = there;
    script.onerror = () => reject(new Error("No connection. Try again."));
    document.head.append(script);
  });
