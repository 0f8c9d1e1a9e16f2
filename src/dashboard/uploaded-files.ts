/** Reads uploaded files completely. The pipeline has limited the size of the body. */
export const bytesOf = (files: File[]) =>
  Promise.all(files.map(async (file) => ({ name: file.name, bytes: Buffer.from(await file.arrayBuffer()) })));
