import { type Caller, seeBoards } from '@cardinal/contracts';
import { rowsOf } from '@cardinal/db';
import type { Sweeper } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import type { Selectable } from 'kysely';
import type { Tables } from '../context.ts';
import type { Vault } from './secrets.ts';
import type { Attempt, Sender } from './sender.ts';

/** Which of some boards a caller sees now. */
export type Sees = (caller: Caller, boardIds: readonly string[]) => Promise<Set<string>>;

/** What the delivery of events works with. */
export interface DeliveryContext extends Pick<Connections<Tables>, 'db' | 'logger' | 'now'> {
  sees: Sees;
  sender: Sender;
  vault: Vault;
  /** Counts an attempt. */
  measure: (attempt: Attempt) => void;
}

/** What the operations on webhooks work with. */
export interface WebhookContext extends DeliveryContext, Connections<Tables> {
  /** Whether `http` will do: in development. */
  allowsHttp: boolean;
  /** Told where something of a workspace's webhooks may be due now. */
  deliveries: { nudge: (workspaceId: string) => void };
  /** Nudged where a ping is asked for. */
  pings: Sweeper;
}

export const webhooks = rowsOf<Tables, 'webhooks'>('webhooks');
export type WebhookRow = Selectable<Tables['webhooks']>;
/** Columns with their new values; those that are undefined stay. */
export type Changes = { [Column in keyof WebhookRow]?: WebhookRow[Column] | undefined };

/** As many as the contract takes. */
const boardsAtOnce = 1_000;

/** Asks the card service, never inside a transaction. @throws CardinalError `unavailable` where it does not answer */
export const createSees =
  ({ bus }: Pick<Connections<Tables>, 'bus'>): Sees =>
  async ({ workspace_id, user_id }, boardIds) => {
    const chunks = Array.from({ length: Math.ceil(boardIds.length / boardsAtOnce) }, (_, at) =>
      boardIds.slice(at * boardsAtOnce, (at + 1) * boardsAtOnce),
    );
    const answers = await Promise.all(
      chunks.map((board_ids) => bus.call(seeBoards, { workspace_id, user_ids: [user_id], board_ids })),
    );
    const seen = answers.flatMap(({ boards }) => boards.filter(({ user_ids }) => user_ids.includes(user_id)));
    return new Set(seen.map(({ board_id }) => board_id));
  };
