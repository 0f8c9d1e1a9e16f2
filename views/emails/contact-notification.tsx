import { Aside, Button, EmailLayout, filled, moment, plainTable, Row, sans, style } from "./email-layout";

type ContactNotificationView = {
  siteTitle: string;
  siteUrl: string;
  name: string;
  email: string;
  source: string;
  message: string;
  receivedAt: Date;
  url: string;
};

/** Everything the visitor wrote is text, never markup. Replying to the email replies to the visitor. */
export const ContactNotificationEmail = ({ siteTitle, siteUrl, url, ...message }: ContactNotificationView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={`New message from ${message.name}`}
    preheader={[...message.message].slice(0, 140).join("").replaceAll("\n", " ")}
    footer={<Footer siteUrl={siteUrl} name={message.name} />}
  >
    <Particulars {...message} />
    <Aside
      class="well ink"
      {...filled("#fbf9f5")}
      style={`padding:16px 20px;font-size:16px;line-height:26px;color:#251f19;background-color:#fbf9f5;border-left:3px solid #095d6c;border-radius:0 7px 7px 0;overflow-wrap:anywhere;${sans}`}
    >
      {message.message.split("\n").map((line, i) => (
        <>
          {i > 0 && <br />}
          {line}
        </>
      ))}
    </Aside>
    <Button href={url}>Open in the dashboard</Button>
  </EmailLayout>
);

type Particulars = Pick<ContactNotificationView, "name" | "email" | "source" | "receivedAt">;

const Particulars = ({ name, email, source, receivedAt }: Particulars) => (
  <table {...plainTable} style="margin:0 0 20px">
    <Row label="Name">{name}</Row>
    <Row label="Email">
      <a class="link" href={`mailto:${encodeURIComponent(email).replace("%40", "@")}`} style={style.link}>
        {email}
      </a>
    </Row>
    <Row label="Source">{source}</Row>
    <Row label="Received">{moment(receivedAt)}</Row>
  </table>
);

const Footer = ({ siteUrl, name }: { siteUrl: string; name: string }) => (
  <p class="quiet" style={style.quiet}>
    Reply to this email to answer {name}. It was sent from the contact form at {new URL(siteUrl).host}.
  </p>
);

export const contactNotificationText = (view: ContactNotificationView) => `New message from ${view.name}

Name:     ${view.name}
Email:    ${view.email}
Source:   ${view.source}
Received: ${moment(view.receivedAt)}

${view.message}

Open in the dashboard:
${view.url}

--${" "}
Reply to this email to answer ${view.name}. It was sent from the contact form at ${new URL(view.siteUrl).host}.
`;
