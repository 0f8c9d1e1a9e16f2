import { expect, test } from "bun:test";
import { fieldSentence } from "./field-errors";

test.each([
  ["Title", "must be 1 to 200 characters long", "Enter a title (up to 200 characters)."],
  ["Your name", "must be 1 to 100 characters long", "Enter your name (up to 100 characters)."],
  ["Email address", "must be a valid email address", "Enter a valid email address."],
  ["Email address", "is required", "Enter an email address."],
  ["Access key", "is required", "Enter an access key."],
  ["URL", "is required", "Enter a URL."],
  ["Name (optional)", "must be at most 100 characters long", "Name must be at most 100 characters long."],
  ["Text", "must be 1 to 10000 characters long", "Enter a text (up to 10,000 characters)."],
  ["Text", "must be 10 to 2000 characters long", "Text must be 10 to 2,000 characters long."],
  ["Name", "must be 2 to 100 characters long", "Name must be 2 to 100 characters long."],
  ["Slug", "must contain a letter or digit", "Slug must contain a letter or digit."],
  ["Password", "This password is too common. Choose another.", "This password is too common. Choose another."],
  ["GitHub", "Enter a full URL, starting with https://", "Enter a full URL, starting with https://."],
])("%s: %s", (label, message, sentence) => {
  expect(fieldSentence(label, message)).toBe(sentence);
});
