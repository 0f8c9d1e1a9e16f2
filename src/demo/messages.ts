/** The demo subscribers: name (or none), address, source. All under example domains, which no one owns. */
export const people: [name: string | undefined, email: string, source: string | undefined][] = [
  ["Ikram Bouazza", "ikram.bouazza@example.org", "landing"],
  ["Sigrid Nes", "sigrid@nes.example", "blog"],
  [undefined, "tidewatcher@example.net", "blog"],
  ["Jonas Eide", "jonas.eide@example.com", "footer"],
  ["Priya Raman", "priya@raman.example", "blog"],
  ["Teodor Vik", "teo.vik@example.org", "landing"],
  [undefined, "books@library.example", "library-talk"],
  ["Marguerite Colin", "m.colin@example.fr", "blog"],
  ["Håkon Strand", "haakon.strand@example.no", "landing"],
  ["Amal Farouk", "amal+letters@example.com", "blog"],
  ["Lucy Pemberton", "lucy@pemberton.example", "footer"],
  [undefined, "kystlinje@example.no", undefined],
  ["Daniel Okafor", "daniel.okafor@example.org", "blog"],
  ["Yuki Tanabe", "yuki@tanabe.example", "blog"],
  ["Elin Sørensen", "elin.sorensen@example.dk", "landing"],
  ["Bruno Castell", "bruno@castell.example", "blog"],
  [undefined, "rss-but-by-mail@example.net", "blog"],
  ["Wanjiru Kamau", "wanjiru.k@example.com", "library-talk"],
  ["Peter Lindahl", "peter@lindahl.example", "landing"],
  ["Chiara Bonetti", "chiara.bonetti@example.it", "blog"],
  ["Oskar Brandt", "o.brandt@example.de", "footer"],
  [undefined, "harbour.office@example.no", "library-talk"],
  ["Fatima Zahra Idrissi", "fz.idrissi@example.org", "blog"],
  ["Gareth Pugh", "gareth@pugh.example", "blog"],
  ["Nina Haugland", "nina.haugland@example.no", "library-talk"],
  ["Tomasz Wrona", "t.wrona@example.pl", "landing"],
  [undefined, "balcony-station@example.com", "blog"],
  ["Ana Ribeiro", "ana@ribeiro.example", "blog"],
  ["Sven Aalto", "sven.aalto@example.fi", "footer"],
  ["Leila Haddad", "leila.haddad@example.com", "landing"],
  ["Morten Lie", "morten@lie.example", "library-talk"],
  ["Grace Adeyemi", "grace.adeyemi@example.org", "blog"],
  [undefined, "postcards@example.net", "blog"],
  ["Henrik Dahl", "henrik.dahl@example.no", "library-talk"],
  ["Zofia Nowak", "zofia@nowak.example", "blog"],
  ["Matteo Ricci", "matteo.ricci@example.it", "landing"],
  ["Ingrid Solberg", "ingrid.solberg@example.no", "library-talk"],
  ["Rafael Moreno", "rafael@moreno.example", "blog"],
  [undefined, "quiet.reader@example.com", undefined],
  ["Beatrix Holm", "beatrix.holm@example.se", "blog"],
  ["Emeka Obi", "emeka.obi@example.org", "landing"],
  ["Solveig Aase", "solveig.aase@example.no", "blog"],
];

/** Those who unsubscribed, by their position above, and how. */
export const unsubscribed = new Map<number, "link" | "one-click">([
  [2, "link"],
  [8, "one-click"],
  [15, "link"],
  [20, "one-click"],
  [28, "link"],
  [35, "one-click"],
]);

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
