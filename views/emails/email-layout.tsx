import { type Brand, defaultBrand, type Logo, plate } from "../brand";
import { type Child, raw } from "../jsx/jsx-runtime";
import { type Translator, translator } from "../languages/translator";

export const linkStyle = ({ link }: Brand) => `color:${link};text-decoration:underline`;

/** The colours of the pages as inline styles, because email apps drop style sheets. */
export const style = {
  text: "margin:0 0 16px;font-size:16px;line-height:26px;color:#251f19",
  body: "font-size:16px;line-height:26px;color:#251f19",
  quiet: "margin:0 0 12px;font-size:13px;line-height:20px;color:#585149",
  link: linkStyle(defaultBrand),
};

export const serif = "font-family:'Iowan Old Style','Palatino Linotype',Palatino,Georgia,serif";
export const sans = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/**
 * The dark version, for email apps that support it. The classes are its only hooks, and `!important` is needed against
 * the inline styles.
 */
const nightOf = ({ night: { fill, onFill, link } }: Brand) =>
  raw(`<style>
@media (prefers-color-scheme: dark) {
  .paper { background-color: #13110e !important; }
  .sheet { background-color: #1b1815 !important; border-color: #302d29 !important; border-top-color: ${fill} !important; }
  .rule { border-color: #302d29 !important; }
  .well { background-color: #13110e !important; border-color: ${fill} !important; }
  .code { background-color: #13110e !important; }
  .ink { color: #eeebe5 !important; }
  .quiet { color: #b7b2aa !important; }
  .link { color: ${link} !important; }
  .drop { background-color: ${fill} !important; }
  .button { color: ${onFill} !important; }
}
@media (max-width: 480px) {
  .sheet { padding: 24px 20px 12px !important; }
  .foot { padding: 20px 20px 0 !important; }
  .paper { padding: 16px 8px !important; }
}
</style>`);

type Props = {
  /** The translator of its language; English unless visitors read another one. */
  t?: Translator;
  siteTitle: string;
  title: string;
  preheader: string;
  /** The translator of the language of the title and the text, if that is another one. */
  written?: Translator | undefined;
  /** Above the title, with a link to the web version: for broadcasts only. */
  date?: string | undefined;
  browserUrl?: string | undefined;
  /** Of the site, in emails to its readers; Postroom's own in those to managers. */
  brand?: Brand;
  children?: Child;
  footer: Child;
};

const english = translator("en");

/** Webmail drops the root element; without these attributes, the text would be read aloud in the webmail's language. */
const inner = ({ root }: Translator) => (root.lang === "en" ? {} : root);

/**
 * Word, which draws emails in Outlook on Windows, knows no `max-width`: only there, the column is inside a table of its
 * width. Everyone else gets a column that can be narrower.
 */
const forWord = {
  begin: raw(
    '<!--[if mso]><table role="presentation" width="560" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->',
  ),
  end: raw("<!--[if mso]></td></tr></table><![endif]-->"),
};

/** The background of a cell, as an attribute that some programs read instead of the style. */
export const filled = (color: string) => ({ bgcolor: color });

/** The attributes of tables that only arrange. */
export const plainTable = { role: "presentation", cellpadding: "0", cellspacing: "0", border: 0 } as const;

/**
 * One column of 560 px on paper: the site's name, the text, and below the sheet who sent it and why. Tables and cells,
 * because Word ignores the padding, the background and the width of everything else (letter-rules.test.tsx).
 */
export const EmailLayout = ({
  t = english,
  siteTitle,
  title,
  preheader,
  date,
  browserUrl,
  written,
  brand = defaultBrand,
  ...inside
}: Props) => (
  <html {...t.root}>
    <Head title={title} brand={brand} />
    <body class="paper" {...filled("#fbf9f5")} style="margin:0;padding:0;background-color:#fbf9f5">
      <Preheader text={preheader} />
      <table {...plainTable} width="100%">
        <tr>
          <td class="paper" align="center" {...filled("#fbf9f5")} style="padding:32px 16px;background-color:#fbf9f5">
            {forWord.begin}
            <table {...plainTable} {...inner(t)} width="100%" align="center" style="max-width:560px;text-align:left">
              <tr>
                <td style={`padding:0 4px 14px;${sans}`}>
                  {browserUrl ? (
                    <Masthead t={t} name={siteTitle} browserUrl={browserUrl} brand={brand} />
                  ) : (
                    <SiteName name={siteTitle} brand={brand} />
                  )}
                </td>
              </tr>
              <tr>
                <Sheet date={date} brand={brand} title={<Title root={written?.root}>{title}</Title>}>
                  {written ? <div {...written.root}>{inside.children}</div> : inside.children}
                </Sheet>
              </tr>
              <tr>
                <td class="foot" style={`padding:20px 36px 0;${sans}`}>
                  {inside.footer}
                </td>
              </tr>
            </table>
            {forWord.end}
          </td>
        </tr>
      </table>
    </body>
  </html>
);

const Head = ({ title, brand }: { title: string; brand: Brand }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="supported-color-schemes" content="light dark" />
    <title>{title}</title>
    {nightOf(brand)}
  </head>
);

type SheetView = { date: string | undefined; title: Child; brand: Brand; children?: Child };

const Sheet = ({ date, title, brand, children }: SheetView) => (
  <td
    class="sheet"
    {...filled("#fffefd")}
    style={`padding:32px 36px 20px;background-color:#fffefd;border:1px solid #e3dfd8;border-top:5px solid ${brand.fill};border-radius:12px;${sans}`}
  >
    {date && (
      <p class="quiet" style="margin:0 0 6px;font-size:13px;line-height:20px;color:#585149">
        {date}
      </p>
    )}
    {title}
    {children}
  </td>
);

const Title = ({ root, children }: { root: Translator["root"] | undefined; children?: Child }) => (
  <h1
    {...root}
    dir="auto"
    class="ink"
    style={`margin:0 0 20px;font-size:28px;line-height:34px;font-weight:500;letter-spacing:-0.012em;color:#251f19;overflow-wrap:anywhere;${serif}`}
  >
    {children}
  </h1>
);

/** What lists show after the subject. The blanks keep the beginning of the text out of it. */
const Preheader = ({ text }: { text: string }) => (
  <div style="display:none;mso-hide:all;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px">
    {text}
    {" \u200c\u00a0".repeat(80)}
  </div>
);

type MastheadView = { t: Translator; name: string; browserUrl: string; brand: Brand };

/** The site's name, and where the text can be read on the web. */
const Masthead = ({ t, name, browserUrl, brand }: MastheadView) => (
  <table {...plainTable} width="100%">
    <tr>
      <td style={sans}>
        <SiteName name={name} brand={brand} />
      </td>
      <td align="right" valign="top" style={`padding:2px 0 0 16px;font-size:13px;line-height:20px;${sans}`}>
        <a class="link" href={browserUrl} style={linkStyle(brand)}>
          {t("email.browser")}
        </a>
      </td>
    </tr>
  </table>
);

/** The logo, or the site's name. Whoever loads no pictures reads the name in either case. */
const SiteName = ({ name, brand }: { name: string; brand: Brand }) =>
  brand.logo ? <LogoOnPlate name={name} logo={brand.logo} /> : <NameAndDrop name={name} brand={brand} />;

const LogoOnPlate = ({ name, logo: { src, width, height } }: { name: string; logo: Logo }) => (
  <table {...plainTable}>
    <tr>
      <td {...filled(plate)} style={`padding:8px;background-color:${plate};border-radius:8px;${serif}`}>
        <img
          src={src}
          width={width}
          height={height}
          alt={name}
          style="display:block;max-width:100%;height:auto;border:0;font-size:18px;line-height:24px;font-style:italic;color:#251f19"
        />
      </td>
    </tr>
  </table>
);

/** The drop is a span, so that no picture has to be loaded. Word shows the name alone. */
const NameAndDrop = ({ name, brand }: { name: string; brand: Brand }) => (
  <p dir="auto" style="margin:0">
    <span
      class="drop"
      style={`display:inline-block;width:13px;height:13px;margin-right:9px;background-color:${brand.fill};border-radius:7px 7px 7px 2px`}
    ></span>
    <span class="ink" style={`font-size:18px;line-height:24px;color:#251f19;${serif}`}>
      {name}
    </span>
  </p>
);

type SenderView = { siteTitle: string; sender: string[]; footerLine: string | undefined };

/** The end of every email to readers: the site's own last line, and who sends it. */
export const SenderLines = ({ siteTitle, sender, footerLine }: SenderView) => (
  <>
    {footerLine && (
      <p class="quiet" dir="auto" style={style.quiet}>
        {footerLine}
      </p>
    )}
    <p class="quiet" style={style.quiet}>
      {[siteTitle, ...sender].join(" · ")}
    </p>
  </>
);

/** The site's host, within a sentence. */
export const SiteLink = ({ url, brand = defaultBrand }: { url: string; brand?: Brand }) => (
  <a class="link" href={url} style={linkStyle(brand)}>
    {new URL(url).host}
  </a>
);

type ButtonView = { href: string; brand?: Brand; children?: Child };

/** At least 44 px high, with the full URL below it, for people whose app shows no links. */
export const Button = ({ href, brand = defaultBrand, children }: ButtonView) => (
  <>
    <table {...plainTable} style="margin:24px 0 10px">
      <tr>
        <td
          class="drop"
          {...filled(brand.fill)}
          style={`padding:11px 22px;background-color:${brand.fill};border-radius:7px`}
        >
          <a
            class="button"
            href={href}
            style={`font-size:15px;line-height:22px;font-weight:600;color:${brand.onFill};text-decoration:none;${sans}`}
          >
            {children}
          </a>
        </td>
      </tr>
    </table>
    <p class="quiet" style={`${style.quiet};overflow-wrap:anywhere`}>
      {href}
    </p>
  </>
);

/** What is set apart from the text, in a cell: a quotation, a message, code. */
export const Aside = ({ children, ...cell }: { class: string; style: string; bgcolor?: string; children?: Child }) => (
  <table {...plainTable} width="100%" style="margin:0 0 16px">
    <tr>
      <td {...cell}>{children}</td>
    </tr>
  </table>
);

/** A row in a table of details. */
export const Row = ({ label, children }: { label: string; children?: Child }) => (
  <tr>
    <td
      class="quiet"
      valign="top"
      style={`padding:2px 20px 2px 0;font-size:14px;line-height:22px;color:#585149;${sans}`}
    >
      {label}
    </td>
    <td
      class="ink"
      style={`padding:2px 0;font-size:14px;line-height:22px;color:#251f19;overflow-wrap:anywhere;${sans}`}
    >
      {children}
    </td>
  </tr>
);

/** The full date and time, because an email may be read anywhere. */
export const moment = (date: Date, timeZone = "UTC") =>
  `${date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone })} ${timeZone}`;
