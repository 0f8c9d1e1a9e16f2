import { expect, test } from "bun:test";
import { fieldSentence } from "./field-sentence";

test.each([
  ["Title", "must have 1 to 200 characters", "Enter a title (up to 200 characters)."],
  ["Your name", "must have 1 to 100 characters", "Enter your name (up to 100 characters)."],
  ["E-mail address", "must be an e-mail address", "Enter a valid email address."],
  ["E-mail address", "is required", "Enter an e-mail address."],
  ["Access key", "is required", "Enter an access key."],
  ["URL", "is required", "Enter a URL."],
  ["Name (optional)", "must have at most 100 characters", "Name must have at most 100 characters."],
  ["Name", "must have 2 to 100 characters", "Name must have 2 to 100 characters."],
  ["Slug", "must contain letters or digits", "Slug must contain letters or digits."],
  ["Password", "This password is too common. Choose another.", "This password is too common. Choose another."],
  ["GitHub", "Enter a full URL, starting with https://", "Enter a full URL, starting with https://."],
])("%s: %s", (label, message, sentence) => {
  expect(fieldSentence(label, message)).toBe(sentence);
});
