import { type Caller, conflict, notFound } from '@cardinal/contracts';
import { readCards } from './cards.ts';
import type { Pool } from './database.ts';

/** Adds an edge unless it would close a cycle; writers of one workspace go one after another. */
export const putDependency = (pool: Pool, caller: Caller, cardId: string, dependsOn: string): Promise<string> =>
  pool.transaction(async (query) => {
    const cards = await query(`${readCards} and c.id = any($3)`, [
      caller.workspace_id,
      caller.user_id,
      [cardId, dependsOn],
    ]);
    if (cards.length < 2) throw notFound('Card');
    await query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [caller.workspace_id]);
    const [cycle] = await query(
      `with recursive reached as (
         select depends_on_card_id as id from dependencies where workspace_id = $1 and card_id = $2
         union select d.depends_on_card_id from dependencies d join reached r on d.card_id = r.id where d.workspace_id = $1)
       select from reached where id = $3`,
      [caller.workspace_id, dependsOn, cardId],
    );
    if (cycle) throw conflict('The dependency would close a cycle');
    const now = new Date();
    const edge = { card_id: cardId, depends_on_card_id: dependsOn, created_at: now };
    await query(`insert into dependencies values ($1, $2, $3, $4) on conflict do nothing`, [
      caller.workspace_id,
      cardId,
      dependsOn,
      now,
    ]);
    return JSON.stringify({ data: edge });
  });
