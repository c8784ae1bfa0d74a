import type { dependencyChanged, EventOf } from '@cardinal/contracts';
import type { Tx } from './database.ts';

/**
 * Writes down what the dependency service says of a dependency, over older words only. Versions make it repeatable, so
 * that it needs no inbox; a removed dependency leaves a tombstone, which older words cannot bring back.
 * @returns whether something changed
 */
export const projectDependency = async (tx: Tx, event: EventOf<typeof dependencyChanged>): Promise<boolean> => {
  const { card_id, depends_on_card_id, exists } = event.data;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('card_dependencies')
    .values({
      workspace_id: event.workspace_id,
      card_id,
      depends_on_card_id,
      version: event.aggregate_version,
      present: exists,
    })
    .onConflict((on) =>
      on
        .columns(['workspace_id', 'card_id', 'depends_on_card_id'])
        .doUpdateSet({ version: event.aggregate_version, present: exists })
        .where('card_dependencies.version', '<', event.aggregate_version),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
};
