import { sql } from 'kysely';
import type { Fixture } from './fixture.ts';

/** A row of `changes`, its event as text. */
export interface Noted {
  seq: number;
  id: string;
  previous_id: string | null;
  noted_at: Date;
  type: string;
  card_id: string | null;
  board_id: string | null;
  other_board_id: string | null;
  event: string;
}

/** What followers of a workspace would hear, in order. */
export const notedIn = async ({ instance }: Pick<Fixture, 'instance'>, workspaceId: string): Promise<Noted[]> => {
  const { rows } = await instance.db.read((tx) =>
    sql<Noted>`
      select seq, id, previous_id, noted_at, type, card_id, board_id, other_board_id, event::text as event
      from changes where workspace_id = ${workspaceId} order by seq`.execute(tx),
  );
  return rows;
};

/** The head of its feed. */
export const feedOf = async ({ instance }: Pick<Fixture, 'instance'>, workspaceId: string) =>
  instance.db.read((tx) =>
    tx.selectFrom('feeds').selectAll().where('workspace_id', '=', workspaceId).executeTakeFirst(),
  );
