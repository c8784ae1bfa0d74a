import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const body = JSON.stringify({ id: 'e', type: 'card.created', data: { title: 'Grüße 😀' } });

/** Signed by the reference. */
const sent = ({ by = secret, at = new Date(), id = 'msg_1', text = body } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(by).sign(id, at, text),
});
const refused = (what: Promise<unknown>) => expect(what).rejects.toThrow(WebhookVerificationError);
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);

describe('verifyWebhook', () => {
  it('returns the event of a valid signature, with headers of any kind', async () => {
    const headers = sent();
    expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
    expect(await verifyWebhook(Buffer.from(body), new Headers(headers), secret)).toEqual(JSON.parse(body));
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(await verifyWebhook(body, shouted, secret)).toEqual(JSON.parse(body));
  });

  it('takes any of several secrets, and any of several signatures', async () => {
    await verifyWebhook(body, sent({ by: other }), [secret, other]);
    const headers = sent();
    const several = `v1a,AAAA v1,AAAA ${headers['webhook-signature']} v1,%%%`;
    await verifyWebhook(body, { ...headers, 'webhook-signature': several }, secret);
  });

  it('refuses another secret, another body, another id and another time', async () => {
    const headers = sent();
    await refused(verifyWebhook(body, headers, other));
    await refused(verifyWebhook(`${body} `, headers, secret));
    await refused(verifyWebhook(body, { ...headers, 'webhook-id': 'msg_2' }, secret));
    await refused(
      verifyWebhook(body, { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1e3) + 1) }, secret),
    );
    await refused(verifyWebhook(body, { ...headers, 'webhook-signature': '' }, secret));
    await refused(verifyWebhook(body, { ...headers, 'webhook-signature': 'v1,' }, secret));
    await refused(verifyWebhook(body, headers, []));
  });

  it('refuses requests that are old, from the future, or without a time', async () => {
    await refused(verifyWebhook(body, sent({ at: secondsAgo(310) }), secret));
    await refused(verifyWebhook(body, sent({ at: secondsAgo(-310) }), secret));
    await verifyWebhook(body, sent({ at: secondsAgo(280) }), secret);
    await verifyWebhook(body, sent({ at: secondsAgo(3_000) }), secret, { toleranceSeconds: 3_600 });
    for (const time of ['', 'NaN', '1e9', '-5']) {
      await refused(verifyWebhook(body, { ...sent(), 'webhook-timestamp': time }, secret));
    }
  });
});
