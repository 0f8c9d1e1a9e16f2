import { sha256 } from "../../security/secrets";

/** Whose email of which broadcast. @property row in `broadcast_recipients` */
type Place = { broadcastId: string; row: number };

/**
 * The Message-ID of a recipient's email, by which delivery reports name it. Its last part is 80 bits that depend on the
 * recipient's token, so that no one can make up a report about an email that another person received.
 */
export const messageIdOf = (place: Place, token: string, domain: string) =>
  `b.${place.row}.${place.broadcastId}.${proofOf(place, token)}@${domain}`;

/** @param token of the recipient's unsubscribe link */
export const proofOf = ({ broadcastId, row }: Place, token: string): string =>
  sha256(`message-id ${broadcastId} ${row} ${token}`).slice(0, 20);
