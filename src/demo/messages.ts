/** The messages in the demo inbox, newest first. */
export const messages = [
  {
    daysAgo: 0.1,
    name: "Solveig Aase",
    email: "solveig.aase@example.no",
    source: "blog",
    message:
      "Gudrun Aase was my grandfather's aunt. Nobody in the family knew about the ledgers, and my mother read your page aloud at dinner on Sunday.\n\nWe have two photographs of her on the quay, one with the lamp. Would you like scans?",
  },
  {
    daysAgo: 0.9,
    name: "Daniel Okafor",
    email: "daniel.okafor@example.org",
    source: "landing",
    message:
      "Hello Noor, we run a members' library with about 900 readers and a catalogue in a spreadsheet that has started to fight back. Is the library software something we could host ourselves? Happy to pay for a day of your time.",
  },
  {
    daysAgo: 2.3,
    name: "Priya Raman",
    email: "priya@raman.example",
    source: "blog",
    message:
      "Small correction to the rain gauge post: the table says 89 at 80 mm/h, the text says it lost a tenth. Both cannot be right, unless your tenth is generous. Lovely post otherwise.",
  },
  {
    daysAgo: 3.6,
    name: "SEO Experts Team",
    email: "growth@rankings.example",
    source: "landing",
    message:
      "Dear Sir or Madam, we audited your web site and found 47 critical issues. First page guaranteed or money back. Reply YES for a free consultation.",
    spamReason: "honeypot",
  },
  {
    daysAgo: 5.2,
    name: "Nina Haugland",
    email: "nina.haugland@example.no",
    source: "landing",
    message:
      "The hall is booked from 18:00, and there is a projector with HDMI. About sixty people have signed up so far. Do you need anything on the day besides coffee?",
  },
  {
    daysAgo: 9.4,
    name: "Gareth Pugh",
    email: "gareth@pugh.example",
    source: "blog",
    message:
      "Which lobster gloves? I have been through three pairs of the popular ones and my thumbs still hate me from December on.",
  },
  {
    daysAgo: 14.8,
    name: "Beatrix Holm",
    email: "beatrix.holm@example.se",
    source: "blog",
    message:
      "We tried reading code aloud for a sprint. You forgot to mention that the person at the next desk starts to join in. Ours found the bug.",
  },
  {
    daysAgo: 21.5,
    name: "Jonas Eide",
    email: "jonas.eide@example.com",
    source: "landing",
    message: "There is a new bakery in Skuteviken, in the old boathouse. Cardamom, no raisins. I checked twice.",
  },
];
