import { z } from 'zod';
import { changedFilter, changingFields, event, eventTypeFilter } from './event.ts';
import { operationsOf } from './operation.ts';
import { answered, changed, created, deleted, listed, versioned } from './response.ts';
import { atMost, createdBy, doc, head, shown, someOf, text, times, timestamp, uuid } from './scalars.ts';

/** What a webhook does with events. `failing` and `disabled` follow from the receiver's answers. */
export const webhookStates = ['active', 'paused', 'failing', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

const seq = z.int().min(0);

const replaying = z.object({
  after: doc(seq, 'Events with a greater `seq` are sent again,', 1000),
  until: doc(seq, 'up to this one.', 1042),
});

export const webhook = z
  .object({
    ...head('webhook'),
    url: doc(
      shown(2_048),
      'Where events are sent. Other admins than its creator see the host alone, as `https://example.com/`.',
      'https://example.com/cardinal',
    ),
    types: doc(atMost(50, shown(64)), 'The types that are sent; `card.*` is all that begin so; none: every type.', [
      'card.*',
      'comment.created',
    ]),
    board_id: doc(uuid.nullable(), 'The only board whose events are sent; null for all, and for other admins.', null),
    changed: doc(
      atMost(changingFields.length, shown(64)).default([]),
      'The fields of which a change is sent; none: every event of its types.',
      ['priority', 'due_date'],
    ),
    private_boards: doc(
      z.boolean().default(true),
      'Whether events of private boards are sent. Those of the board in `board_id` are sent in either case.',
      false,
    ),
    description: doc(shown(2_000).nullable(), 'What it is for; null for other admins.', 'Tells the chat'),
    state: doc(
      z.enum(webhookStates),
      '`failing` while something waits that failed three times, or while its secret cannot be opened; `disabled` by a 410, or after three days of failures. Nothing is lost meanwhile.',
      'active',
    ),
    disabled_reason: doc(z.enum(['gone', 'failures']).nullable(), 'Why it is disabled; null while it is not.', null),
    failing_reason: doc(
      z.enum(['attempts', 'secret']).nullable().default(null),
      'Why it is failing: `attempts` that failed, or a `secret` that no key of the service opens, until that key is there again or the secret is rotated. Null while it is not.',
      null,
    ),
    failing_since: doc(timestamp.nullable(), 'Since when it is failing, or was when it was disabled.', null),
    former_secret_until: doc(
      timestamp.nullable(),
      'Until when the secret before the latest rotation signs too; null for other admins.',
      null,
    ),
    replay: doc(
      replaying.nullable(),
      'What is being sent again, before anything newer; null for nothing, and for other admins.',
      null,
    ),
    created_by: createdBy,
    ...times,
  })
  .meta({
    id: 'Webhook',
    description:
      "An address to which events are sent. It sees what its creator sees, and is its creator's: other admins see that it is there, and may pause it, delete it and take it over.",
  });
export type Webhook = z.infer<typeof webhook>;

export const webhookWithSecret = webhook
  .extend({
    secret: doc(
      shown(100),
      'Verifies what is sent (Standard Webhooks). It is shown this once.',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    ),
  })
  .meta({ id: 'WebhookWithSecret', description: 'A webhook, with the secret that it has from now on.' });
export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;

/** Where events may be sent. The service decides whether `http` is allowed, and checks addresses when it connects. */
const target = z
  .string()
  .refine((value) => isUrl(value) && URL.canParse(value), {
    error: 'must be a URL that begins with https://',
    abort: true,
  })
  .refine(hasNoUser, 'must have neither user nor password')
  .refine((value) => !value.includes('#'), 'must have no fragment')
  .overwrite((value) => new URL(value).href)
  // Of the normalized URL, with other than ASCII characters escaped.
  .max(2_048)
  .meta({ format: 'uri', maxLength: 2_048 });

/** Parsers drop line breaks, and more than two slashes. */
function isUrl(value: string): boolean {
  return value.isWellFormed() && /^https?:\/\/(?![\\/])[^\s\p{Cc}]+$/iu.test(value);
}

function hasNoUser(value: string): boolean {
  const { username, password } = new URL(value);
  // Parsers drop an empty user: `https://@example.com`.
  return username === '' && password === '' && !/^https?:[\\/]*[^\\/?#]*@/i.test(value);
}

const fields = {
  url: doc(target, 'Where events are sent: `https`, without a password.', 'https://example.com/cardinal'),
  types: doc(
    z
      .array(eventTypeFilter)
      .max(50)
      .overwrite((types) => [...new Set(types)]),
    'The types to send, such as `card.created`, or `card.*` for all that begin so; none: every type.',
    ['card.*', 'comment.created'],
  ),
  board_id: doc(uuid.nullable(), 'The only board whose events to send; null for all.', null),
  changed: doc(
    z
      .array(changedFilter)
      .max(changingFields.length)
      .overwrite((fields) => [...new Set(fields)]),
    'Send only events that change one of these fields, so neither creations nor deletions; none: every event of its types.',
    ['priority', 'due_date'],
  ),
  private_boards: doc(
    z.boolean(),
    'Whether to send events of private boards that its creator sees. Those of the board in `board_id` are sent in either case.',
    false,
  ),
  description: doc(text({ max: 2_000 }).nullable(), 'What it is for; null for nothing.', 'Tells the chat'),
};

export const createWebhookBody = z.strictObject({
  url: fields.url,
  types: fields.types.default([]),
  board_id: fields.board_id.default(null),
  changed: fields.changed.default([]),
  private_boards: fields.private_boards.default(false),
  description: fields.description.default(null),
});

const state = doc(
  z.enum(['active', 'paused']),
  '`active` goes on where it stood, and tries at once what waits; `paused` sends nothing.',
  'active',
);

/** Most characters of the error of a failed attempt. */
export const maxDeliveryError = 1_024;

export const delivery = z
  .object({
    id: doc(uuid, 'Its id.'),
    event: doc(
      z
        .object({
          id: doc(uuid, 'Its id, which is sent as `webhook-id`.'),
          type: doc(shown(64), 'Its type; `ping` for one that was asked for.', 'card.created'),
          seq: doc(seq.nullable(), 'Its number in the log; null for a ping.', 1042),
        })
        .nullable(),
      'What was sent; null where the log says something of the webhook itself.',
    ),
    attempt: doc(z.int().min(1).nullable(), 'How many times it was tried, this one included.', 1),
    status: doc(
      z.int().nullable(),
      'The HTTP status of the answer; null where none came within 15 seconds. A status from 200 to 299 counts as taken, however long its body takes.',
      204,
    ),
    milliseconds: doc(z.int().min(0).nullable(), 'How long it took.', 87),
    answer: doc(shown(1_024).nullable(), 'The first KiB of the answer.', ''),
    error: doc(shown(maxDeliveryError).nullable(), 'Why it was not taken; null where it was.', null),
    next_try_at: doc(timestamp.nullable(), 'When it is tried again; null for never.', null),
    at: doc(timestamp, 'When it ended.', '2030-01-03T14:05:00.000Z'),
  })
  .meta({ id: 'Delivery', description: 'One attempt to send an event to a webhook.' });
export type Delivery = z.infer<typeof delivery>;

const pinged = z
  .object({ event_id: doc(uuid, 'The `webhook-id` of the ping; its delivery is in the list.') })
  .meta({ id: 'Pinged', description: 'A ping that is under way.' });

const { shape } = event.options[0];

/** The payload of `ping`: shaped like an event, but in no log. */
export const pingEvent = z
  .object({
    id: shape.id,
    seq: doc(z.null(), 'It is in no log.', null),
    type: doc(z.literal('ping'), 'What happened: somebody asked for it.'),
    at: shape.at,
    actor: shape.actor,
    request_id: shape.request_id,
    subject: shape.subject,
    card: doc(z.null(), 'It is about no card.', null),
    board_id: doc(z.null(), 'Nor a board.', null),
    changed: doc(z.array(z.string()).max(0), 'Nothing changed.', []),
    previous: doc(z.object({}), 'So nothing was otherwise.', {}),
    data: doc(webhook, 'The webhook.'),
  })
  .meta({ id: 'PingEvent', description: 'Sent because somebody wants to see whether it arrives.' });
export type PingEvent = z.infer<typeof pingEvent>;

const operation = operationsOf('event', 'Webhooks');
const scope = 'kanban:admin';

export const createWebhook = operation('createWebhook', 'POST /webhooks', {
  summary: 'Create a webhook',
  description:
    "From now on events are sent to it, as far as its creator sees them; those of private boards only where `board_id` or `private_boards` says so. It is the creator's: what others may do is in the description of a webhook. The answer has its `secret`, once. A workspace has 20 at most: 409 above.",
  scope,
  emits: [],
  body: createWebhookBody,
  reply: created(webhookWithSecret, 'webhooks'),
  refusals: ['conflict', 'not_found', 'validation_error'],
  example: { url: 'https://example.com/cardinal', types: ['card.*'], description: 'Tells the chat' },
});

export const listWebhooks = operation('listWebhooks', 'GET /webhooks', {
  summary: 'List the webhooks of the workspace',
  description: 'Oldest first, those of all its admins; of those of others the host of the `url` alone.',
  scope,
  reply: listed(webhook),
});

export const getWebhook = operation('getWebhook', 'GET /webhooks/:webhook_id', {
  summary: 'Read a webhook',
  description: 'Of that of another admin the host of the `url` alone.',
  scope,
  reply: versioned(webhook),
});

export const patchWebhook = operation('patchWebhook', 'PATCH /webhooks/:webhook_id', {
  summary: 'Edit, pause or enable a webhook',
  description:
    'Its creator alone: others would have sent to them what its creator sees. Other admins may pause it: a body of `state` alone. Enabled, it goes on where it stood.',
  scope,
  emits: [],
  body: someOf({ ...fields, state }),
  reply: changed(webhook),
  refusals: ['insufficient_scope', 'not_found', 'validation_error'],
  example: { state: 'active' },
});

export const deleteWebhook = operation('deleteWebhook', 'DELETE /webhooks/:webhook_id', {
  summary: 'Delete a webhook',
  description: 'Every admin may. What waits is not sent any more.',
  scope,
  emits: [],
  requires: ['If-Match'],
  reply: deleted(),
});

export const rotateWebhook = operation('rotateWebhook', 'POST /webhooks/:webhook_id/rotate', {
  summary: 'Give a webhook a new secret',
  description:
    'Its creator alone. The answer has it, once. For 24 hours the former one signs too, and one before that no more.',
  scope,
  emits: [],
  reply: changed(webhookWithSecret),
  refusals: ['insufficient_scope'],
});

export const takeoverWebhook = operation('takeoverWebhook', 'POST /webhooks/:webhook_id/take-over', {
  summary: 'Become the creator of a webhook',
  description:
    'For one whose creator has left. From now on it sees what the caller sees, without private boards until the caller says so, and signs with a new secret alone, which the answer has, once. It goes on where it stood; what was sent before is in the list of its deliveries no more.',
  scope,
  emits: [],
  reply: changed(webhookWithSecret),
});

export const pingWebhook = operation('pingWebhook', 'POST /webhooks/:webhook_id/ping', {
  summary: 'Send a ping to a webhook',
  description: 'Its creator alone. Once, whatever its state is; how it went is in the list of its deliveries.',
  scope,
  emits: [],
  requires: ['Idempotency-Key'],
  reply: answered(pinged),
  refusals: ['insufficient_scope'],
});

export const replayWebhook = operation('replayWebhook', 'POST /webhooks/:webhook_id/replay', {
  summary: 'Send events again',
  description:
    'Its creator alone. Those with a `seq` above `after` up to `until`, as far as they are kept and were passed already, with the header `webhook-replay: true`; what is newer follows them. One replay at a time: 409.',
  scope,
  emits: [],
  body: z
    .strictObject({
      after: doc(seq, 'Events with a greater `seq` are sent again,', 1000),
      until: doc(seq, 'up to this one; left out: all that were passed.', 1042).optional(),
    })
    .refine(({ after, until }) => until === undefined || until > after, {
      path: ['until'],
      error: 'must be greater than after',
    }),
  reply: changed(webhook),
  refusals: ['conflict', 'gone', 'insufficient_scope'],
  example: { after: 1000 },
});

export const listDeliveries = operation('listDeliveries', 'GET /webhooks/:webhook_id/deliveries', {
  summary: 'List what was sent to a webhook',
  description: 'Its creator alone. Each attempt of the last 30 days, latest first.',
  scope,
  reply: listed(delivery),
  refusals: ['insufficient_scope'],
});
