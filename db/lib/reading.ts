export const wordsIn = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** Reading time in whole minutes at 200 words a minute, at least one. */
export const readingMinutes = (words: number): number => Math.max(1, Math.ceil(words / 200));
