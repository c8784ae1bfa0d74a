import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { newSecret } from './secrets.ts';
import { signedHeaders } from './signing.ts';

const message = { id: '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b', at: new Date(), body: '{"title":"Grüße 😀"}' };

it('creates signatures that the reference library of Standard Webhooks verifies', () => {
  const [secret, former, other] = [newSecret(), newSecret(), newSecret()];
  const headers = signedHeaders(message, [secret, former]);
  for (const one of [secret, former])
    expect(new Webhook(one).verify(message.body, headers)).toEqual({ title: 'Grüße 😀' });
  expect(() => new Webhook(other).verify(message.body, headers)).toThrow();
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
});

it('reproduces the signature of the example in the specification', () => {
  const headers = signedHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1_614_265_330_000), body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
