/** The texts that visitors and subscribers read, in English. The other files translate them: `Translation`. */
export const en = {
  lang: "en",
  dir: "ltr",
  locale: "en-GB",
  texts: {
    newsletter: "Newsletter",
    back: "Back to {host}",
    unsubscribe: "Unsubscribe",
    subscribe: "Subscribe",
    "subscribe.again": "Subscribe again",
    "subscribe.label": "Email address",

    "left.title": "You’re unsubscribed",
    "left.text": "{address} will no longer receive the newsletter.",
    "left.regret": "Changed your mind, or unsubscribed by mistake?",
    "fewer.title": "Fewer emails instead?",
    "fewer.text": "You also get what goes to everyone.",
    "fewer.none": "Choose at least one. Nothing has been changed.",
    "fewer.button": "Subscribe again with these",
    "already.title": "You were already unsubscribed",
    "already.since": "{address} has not received the newsletter since {date}.",
    "already.text": "{address} is not subscribed to the newsletter.",
    "absent.title": "You’re not subscribed",
    "leave.title": "Unsubscribe?",
    "leave.text": "{address} is subscribed to the newsletter. Nothing has been changed yet.",
    "left.topic.title": "You no longer receive {topic}",
    "left.topic.text": "{address} still receives what else you chose.",
    "left.topic.change": "Change what you receive",
    "leave.topic.text": "{address} receives {topic}. Nothing has been changed yet.",
    "again.title": "You’re subscribed again",
    "again.text": "{address} will receive the newsletter.",
    "unknown.title": "You’re not on the list",
    "unknown.text": "We no longer have this address. You will not receive the newsletter.",
    "invalid.title": "This link doesn’t work",
    "invalid.text":
      "Your email app may have split it. Copy the whole link into your browser’s address bar. Nothing has been changed.",
    "failed.title": "Something went wrong",
    "failed.text": "The problem is on our side. You are still subscribed. Please try again in a moment.",
    "failed.retry": "Try again",
    "failed.reference": "If this keeps happening, contact us and quote this reference: {reference}",

    "confirm.title": "Confirm your subscription",
    "confirm.text": "{address} will receive the {site} newsletter.",
    "confirm.button": "Confirm subscription",
    "confirm.notYou": "Didn’t ask for this? Close this page and you won’t receive anything.",
    "confirmed.title": "You’re subscribed",
    "confirmed.text": "The next newsletter goes to {address}.",
    "confirmed.posts": "Until then:",
    "expired.title": "This link has expired",
    "expired.text": "Links are valid for seven days. Nothing has been changed.",
    "expired.button": "Send a new link",
    "sent.title": "Check your inbox",
    "sent.text":
      "A new link is on its way to {address}. If it does not arrive, look in your spam folder, or try again later.",
    "retry.title": "Please try again",
    "retry.text": "The problem is on our side, and nothing has been changed. Try again in a moment.",
    "limit.title": "Too many requests",
    "limit.text": {
      one: "Try again in {count} second.",
      other: "Try again in {count} seconds.",
    },
    "limit.site": {
      one: "Too many visitors at the moment. Try again in {count} second.",
      other: "Too many visitors at the moment. Try again in {count} seconds.",
    },

    "prefs.title": "Your newsletter",
    "prefs.for": "For {address}, since {date}.",
    "prefs.topics": "What you would like to read",
    "prefs.name": "Your name",
    "prefs.name.hint": "Leave it empty to keep it as it is.",
    "prefs.language": "Language",
    "prefs.zone": "Time zone",
    "prefs.zone.site": "The same as this site’s",
    "prefs.zone.hint": "For emails that come at a certain time of day.",
    "prefs.save": "Save",
    "prefs.saved": "Saved. Your choices apply from the next email.",
    "prefs.break": "Take a break",
    "prefs.break.text": "Nothing is sent until then, and your choices are kept.",
    "prefs.break.months": { one: "{count} month", other: "{count} months" },
    "prefs.paused": "You’re taking a break. The next email comes after {date}.",
    "prefs.resume": "End the break",
    "prefs.resumed": "Your break is over. The next newsletter comes to you.",
    "prefs.stopped": "No email is sent to {address} at the moment: emails to it came back, or we were asked to stop.",
    "prefs.leave": "Leave",
    "prefs.leave.text": "This takes effect immediately. You can come back at any time.",
    "prefs.stored": "What is stored about you",
    "prefs.stored.text":
      "Your address, your choices above, your name if you gave one, what else this site knows about you, such as notes and your messages, when and how you subscribed, and which emails were sent to you. We do not record what you open or click.",
    "prefs.stored.button": "Email me what is stored",
    "prefs.stored.sent": "A link is on its way to {address}. It works for one hour.",
    "prefs.stored.capped": "We have sent you this link three times today. Please try again tomorrow.",
    "record.expired":
      "Links to what is stored work for one hour. Ask for a new one on the page behind “Preferences” in any of our emails.",

    "form.refused.title": "The form was not accepted",
    "form.refused.text": "Use the form on the newsletter’s page.",
    "form.refused.origin":
      "Forms on {origin} are not accepted here yet. If that site is yours, allow it in the dashboard, under Settings, Set up.",
    "form.check": "Check your email address",
    "form.invalid": "Enter a valid email address.",
    "form.long": "Email address must be at most 200 characters long.",
    "form.pending":
      "Thank you. Unless you’re already subscribed, please confirm your subscription with the link in the email we have sent you. No email? Check your spam folder, or try again later.",
    "form.done.title": "Thank you",
    "form.done.text": "You’ll receive the next newsletter.",
    "form.failed.title": "Your subscription was not saved",
    "form.failed.text": "The problem is on our side. Try again in a moment.",
    "form.back": "Back to the newsletter",

    "contact.name": "Your name",
    "contact.message": "Your message",
    "contact.send": "Send message",
    "contact.check": "Check your message",
    "contact.review": "Your browser did not say which site this form is on. You can send your message from here.",
    "contact.badName": "Name must be 2 to 100 characters long, in one line.",
    "contact.badMessage": "Message must be 10 to 2,000 characters long.",
    "contact.done.title": "Message received",
    "contact.done.text": "Thank you for your message.",
    "contact.refused": "Use the contact form on the site.",
    "contact.failed": "Your message was not saved",

    "archive.name": "{site} newsletter",
    "archive.page": "{name}, page {page}",
    "archive.empty": "No emails yet. Subscribe to get the first one.",
    "archive.pages": "Pages",
    "archive.newer": "Newer emails",
    "archive.older": "Older emails",
    "archive.others": "Other emails",
    "archive.newerOne": "Newer: {subject}",
    "archive.olderOne": "Older: {subject}",
    "archive.next": "Get the next one by email",
    "archive.table": "Table",

    "error.404.title": "Page not found",
    "error.404.text": "There is no page at this URL.",
    "error.405.title": "Method not allowed",
    "error.405.text": "This page does not accept this kind of request.",
    "error.413.title": "Request too large",
    "error.413.text": "The request is larger than this page accepts.",
    "error.500.title": "Something went wrong",
    "error.500.text": "The problem is on our side. Try again in a moment.",
    "error.503.title": "Service busy",
    "error.503.text": "The service is busy. Try again in a second.",
    "error.home": "Go to the home page",

    "email.browser": "View in your browser",
    "email.picture": "Picture",
    "email.why": "You’re receiving this because you subscribed to the {site} newsletter.",
    "email.why.topic": "You’re receiving this because “{topic}” is part of your subscription to the {site} newsletter.",
    "email.leave.topic": "Unsubscribe from {topic}",
    "email.leave.all": "Unsubscribe from everything",
    "email.preferences": "Preferences",
    "email.noTracking": "There is no tracking in this email.",
    "email.forwarded": "Was this email forwarded to you? {link}",
    "email.forwarded.link": "Subscribe",
    "email.forwarded.plain": "Was this email forwarded to you? Subscribe",
    "email.noReplies": "Replies to this email are not read.",
    "email.onTheWeb": "This part is on the web page",
    "email.namedOnTheWeb": "“{title}” is on the web page",
    "digest.subject": { one: "{title}, and {count} more post", other: "{title}, and {count} more posts" },
    "value.yes": "Yes",
    "value.no": "No",
    "email.yourAddress": "your email address",

    "reply.subject": "Your message to {site}",
    "reply.wrote": "On {date}, {name} wrote:",

    "welcome.subject": "Welcome to {site}",
    "welcome.preheader": "Thank you for subscribing to {site}. You can unsubscribe with one click at any time.",
    "welcome.thanks": "Thank you for subscribing to {site}.",
    "welcome.promise": "We’ll only write when there is something new to read.",
    "welcome.posts": "Recent posts",
    "welcome.newsletters": "Recent newsletters",
    "welcome.notYou": "Didn’t sign up? {link} with one click.",
    "welcome.notYou.link": "Unsubscribe",
    "welcome.notYou.plain": "Didn’t sign up? Unsubscribe with one click:",
    "welcome.why": "You’re receiving this email because this address was subscribed at {site}.",
    "welcome.why.plain": "You’re receiving this email because this address was subscribed at {site}",

    "confirmation.subject": "Confirm your subscription to {site}",
    "confirmation.lead":
      "Someone entered this address to receive the {site} newsletter. If that was you, please confirm.",
    "confirmation.otherwise": "If it was not you, ignore this email. You will not receive the newsletter.",
    "confirmation.days": "The link is valid for seven days.",
    "confirmation.why": "This address was entered at {site}.",
    "confirmation.why.plain": "This address was entered at {site}",

    "record.subject": "What {site} stores about you",
    "record.lead": "You asked what {site} stores about you. This link downloads all of it as a file.",
    "record.button": "Download the file",
    "record.hour": "The link works for one hour. Do not forward this email.",
    "record.otherwise": "If it was not you, ignore this email. Nothing has been changed.",
    "record.why": "You’re receiving this email because it was requested on your page at {site}.",
  },
} as const;

type Texts = typeof en.texts;
export type Key = keyof Texts;
/** A text with a number, in the forms of Intl.PluralRules. `other` is used for forms that a language lacks. */
export type Plural = { [form in Intl.LDMLPluralRule]?: string } & { other: string };

/** One language. A missing or additional text is a type error. */
export type Translation = {
  /** The value of the attribute `lang`. */
  lang: string;
  dir: "ltr" | "rtl";
  /** The locale of dates and numbers. */
  locale: string;
  texts: { [key in Key]: Texts[key] extends string ? string : Plural };
};

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The placeholders of a text, as in the English one. */
export type Placeholders<K extends Key> = NamesIn<Texts[K] extends { other: infer Other } ? Other : Texts[K]>;
