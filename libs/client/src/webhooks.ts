import type { Event, PingEvent } from './operations.gen.ts';

/** The request is not genuine: it has no valid signature, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Headers as servers have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How far the time of sending may be from ours, either way; 300 by default. */
  toleranceSeconds?: number;
}

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) throw new WebhookVerificationError(`the header ${name} is missing`);
  return text;
};

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const signatureBytes = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  const [version, signature = ''] = text.split(',');
  if (version !== 'v1') return undefined;
  try {
    return bytesOf(signature);
  } catch {
    return undefined;
  }
};

const keyOf = (secret: string) =>
  crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);

const concatenated = (head: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const before = new TextEncoder().encode(head);
  const whole = new Uint8Array(before.length + body.length);
  whole.set(before);
  whole.set(body, before.length);
  return whole;
};

/**
 * Verifies a webhook's request (Standard Webhooks) and returns its event. The comparison takes constant time.
 * @param payload the body as it came, before it was parsed
 * @param headers of the request, in any letter case
 * @param secrets that of the webhook, or several that may have signed it
 * @throws WebhookVerificationError where no signature is valid, or it was sent too long ago
 */
export const verifyWebhook = async (
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<Event | PingEvent> => {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  // A missing time is refused, too: the comparison with NaN is false.
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('it was not sent just now');
  }
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  const signed = concatenated(`${id}.${timestamp}.`, body);
  const given = signatures.split(' ').flatMap((text) => signatureBytes(text) ?? []);
  const keys = await Promise.all([secrets].flat().map(keyOf));
  const tries = keys.flatMap((key) => given.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)));
  if (!(await Promise.all(tries)).includes(true)) throw new WebhookVerificationError('no signature is right');
  return JSON.parse(new TextDecoder().decode(body)) as Event | PingEvent;
};
