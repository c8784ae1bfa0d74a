import type { CardinalClient } from '../../client.ts';
import { ImportError } from '../import-error.ts';
import type { Place } from './find-place.ts';

// The service keeps keys for at least 24 h (api-decisions, "Idempotency"); an hour is left for the import itself.
const remembered = 23 * 60 * 60 * 1000;

/**
 * Refuses a column that was filled longer ago than the service remembers keys: rows imported then would come twice.
 * @param now epoch milliseconds
 * @throws ImportError
 */
export const refuseForgotten = async (client: CardinalClient, { board, column }: Place, now: number): Promise<void> => {
  if (now - Date.parse(column.created_at) < remembered) return;
  for (const archived of [false, true]) {
    const { data } = await client.cards.list(board.id, { column_id: column.id, archived }, { pageSize: 1 }).page();
    if (data.length === 0) continue;
    throw new ImportError(
      `column "${column.name}" of board "${board.name}" was made more than 23 hours ago and holds cards: rows that were ` +
        'imported so long ago would come a second time; choose another --board or --column, or say --append if these rows are new',
    );
  }
};
