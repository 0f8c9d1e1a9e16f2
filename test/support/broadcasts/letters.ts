import { defaultBrand } from "../../../views/brand";
import type { LetterSource } from "../../../src/broadcasts/letter/letter";

/** A letter's source, in which only what a test is about has to be said. */
export const source = (fields: Partial<LetterSource> = {}): LetterSource => ({
  subject: "Rain gauges",
  preheader: "",
  content: "It rained.",
  date: new Date("2026-11-22T12:00:00Z"),
  browserUrl: "https://site.example/newsletter/rain-gauges",
  site: {
    language: "en",
    title: "Noor Halvorsen",
    brand: defaultBrand,
    author: "",
    footerLine: "",
    readsReplies: true,
    sender: ["Havnegata 4, 8373 Ballstad, Norway"],
    url: "https://site.example",
    blogUrl: "https://blog.example",
  },
  ...fields,
});

export const recipient = {
  name: "Ada Lovelace",
  email: "ada@reader.example",
  unsubscribeUrl: "https://site.example/api/newsletter/leave?email=ada%40reader.example&token=t&b=7",
  preferencesUrl: "https://site.example/newsletter/preferences?email=ada%40reader.example&token=t",
};
