/** Actions of the audit log as people say them; what they were done to follows. */
const deeds: Record<string, string> = {
  "api-key.create": "generated the API key",
  "api-key.deactivate": "deactivated the API key",
  "mail.test": "sent a test e-mail to",
  "manager.change-password": "changed the password of",
  "manager.change-role": "changed the role of",
  "manager.invite": "invited",
  "manager.join": "accepted the invitation of",
  "manager.prefer": "changed the appearance for",
  "manager.remove": "removed",
  "manager.rename": "renamed",
  "manager.reset": "made a link for a new password of",
  "manager.set-up": "set up Postroom as",
  "manager.withdraw-invitation": "withdrew the invitation of",
  "passkey.add": "added the passkey",
  "passkey.remove": "removed the passkey",
  "second-step.replace-codes": "made new recovery codes for",
  "second-step.turn-off": "turned off the second step of",
  "second-step.turn-on": "turned on the second step of",
  "session.begin": "signed in",
  "session.end": "signed out",
  "session.end-all": "signed out everywhere",
  "session.end-others": "signed out everywhere else",
  "session.refuse": "failed to sign in as",
  "setting.change": "changed the setting",
  "setting.remove": "removed the setting",
  "subscriber.delete": "deleted the subscriber",
  "subscriber.export": "exported subscribers",
  "subscriber.import": "imported subscribers",
  "subscriber.reactivate": "reactivated the subscriber",
};

/** What was done, in words: "deactivated the API key". An action without words of its own reads "trash message". */
export const deed = (action: string): string => deeds[action] ?? words(action);

/** "api-key.deactivate" is "deactivate api key". */
export const words = (action: string) => action.split(".").reverse().join(" ").replaceAll("-", " ");
