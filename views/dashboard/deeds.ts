/** Actions of the audit log as people say them; what they were done to follows. */
const deeds: Record<string, string> = {
  "api-key.create": "generated the API key",
  "api-key.deactivate": "deactivated the API key",
  "mail.cancel": "cancelled the e-mail to",
  "mail.retry": "sent again the e-mail to",
  "manager.change-password": "changed the password of",
  "manager.change-role": "changed the role of",
  "manager.invite": "invited",
  "manager.prefer": "changed the appearance for",
  "manager.remove": "removed the manager",
  "manager.rename": "renamed",
  "manager.reset": "reset the sign-in of",
  "manager.set-up": "set up the first manager",
  "session.begin": "signed in",
  "session.end": "signed out",
  "session.refuse": "was refused at the sign-in",
  "setting.change": "changed the setting",
  "setting.remove": "removed the setting",
  "subscriber.delete": "deleted the subscriber",
  "subscriber.export": "exported subscribers",
  "subscriber.import": "imported subscribers",
  "subscriber.reactivate": "reactivated",
};

/** What was done, in words: "deactivated the API key". An action without words of its own reads "trash message". */
export const deed = (action: string): string =>
  deeds[action] ?? action.split(".").reverse().join(" ").replaceAll("-", " ");
