import { createHmac } from 'node:crypto';

/** What is signed: the event's id, the moment of the attempt, and the body. */
interface Message {
  id: string;
  at: Date;
  body: string;
}

/**
 * The headers that prove where a message comes from (Standard Webhooks): a signature for each secret that is valid.
 * @param secrets `whsec_…`
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
