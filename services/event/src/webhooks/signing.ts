import { createHmac } from 'node:crypto';

/** What is signed: the id of the event, the time of the attempt, and the body. */
interface Message {
  id: string;
  at: Date;
  body: string;
}

/**
 * Returns the signature headers of a message (Standard Webhooks), with one signature for each secret (CONTRACT 10.3).
 * @param secrets in clear text, `whsec_…`
 */
export const signedHeaders = ({ id, at, body }: Message, secrets: readonly string[]) => {
  const seconds = Math.floor(at.getTime() / 1_000);
  const signatureBy = (secret: string) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map(signatureBy).join(' '),
  };
};
