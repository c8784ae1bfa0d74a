const header = (name: string, description: string, example: string) => ({
  name,
  description,
  example,
  in: 'header',
  required: true,
  schema: { type: 'string' },
});

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** What is sent to webhooks (OpenAPI 3.1, "webhooks"; CONTRACT 10.3). */
export const sentToWebhooks = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'An event is sent to a webhook',
      description:
        'Signed as [Standard Webhooks](https://www.standardwebhooks.com) say: `webhook-signature` has `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64, under the bytes whose base64 follows `whsec_` in the secret; in the day after a rotation two of them, with a space between. `verifyWebhook` of `@cardinal/client` checks it. The same event may come twice, under the same `webhook-id`; those of a card come in order.',
      tags: ['Webhooks'],
      security: [],
      parameters: [
        header('webhook-id', 'The id of the event, the same at every attempt.', '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b'),
        header('webhook-timestamp', 'When it was sent, seconds since 1970: refuse what is old.', '1893679500'),
        header(
          'webhook-signature',
          'Signatures, with a space between them; one of them has to be right.',
          'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        ),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { anyOf: [schema('Event'), schema('PingEvent')] } } },
      },
      responses: {
        '2XX': { description: 'Taken, if it comes within 15 seconds.' },
        410: { description: 'The webhook is disabled: nobody wants its events any more.' },
        default: {
          description:
            'Sent again after 5 and 30 seconds, 2 and 10 minutes, 1 hour, then every 6 hours for 3 days, later where `Retry-After` says so; then the webhook is disabled. Redirects are not followed.',
        },
      },
    },
  },
} as const;
