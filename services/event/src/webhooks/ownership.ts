import * as contracts from '@cardinal/contracts';
import { CardinalError } from '@cardinal/contracts';
import { resourceOf } from '@cardinal/db';
import type { WebhookRow } from './context.ts';

/*
 * A webhook belongs to its creator, because it sends what its creator sees (CONTRACT 10.2). Other admins see that
 * it exists, and may pause, delete or take it over.
 */

type User = Pick<contracts.Caller, 'user_id'>;

const isCreator = (row: WebhookRow, { user_id }: User): boolean => row.created_by === user_id;

/** Requires that the caller is the creator. @throws CardinalError `insufficient_scope` for other admins */
export const requireCreator = (row: WebhookRow, caller: User): void => {
  if (isCreator(row, caller)) return;
  throw new CardinalError(
    'insufficient_scope',
    'This is for its creator alone; other admins may pause a webhook, delete it, or take it over',
  );
};

/** Permits an edit: any to the creator, a pause to other admins. @throws CardinalError `insufficient_scope` */
export const permitEdit = (row: WebhookRow, { body, ...caller }: User & { body: object }): void => {
  const isPause = JSON.stringify(body) === JSON.stringify({ state: 'paused' });
  if (!isPause) requireCreator(row, caller);
};

const present = resourceOf(contracts.webhook);

/** Returns a webhook as its creator sees it. */
export const toWebhook = (row: WebhookRow): contracts.Webhook => {
  const { replay_after: after, replay_until: until, secret_unreadable } = row;
  const state = secret_unreadable && row.state === 'active' ? 'failing' : row.state;
  const reason = secret_unreadable ? 'secret' : 'attempts';
  return present({
    ...row,
    state,
    failing_reason: state === 'failing' ? reason : null,
    replay: after === null || until === null ? null : { after, until },
  });
};

/**
 * Returns a webhook as the caller sees it. Other admins do not see the path of the URL, which may be a secret, nor the board, which
 * may be hidden from them.
 */
export const webhookFor = (row: WebhookRow, caller: User): contracts.Webhook => {
  const whole = toWebhook(row);
  if (isCreator(row, caller)) return whole;
  return {
    ...whole,
    url: new URL('/', row.url).href,
    board_id: null,
    description: null,
    former_secret_until: null,
    replay: null,
  };
};
