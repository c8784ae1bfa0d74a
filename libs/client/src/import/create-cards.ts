import { ApiError } from '../api-error.ts';
import type { CardinalClient } from '../client.ts';
import { ImportError } from './import-error.ts';
import { workThrough } from './pool.ts';
import type { PlannedCard } from './rows/plan-row.ts';
import { occurrenceCounter, rowKey } from './rows/row-key.ts';
import { plannedRows, type Table } from './rows/table.ts';
import { countCard, type Tally } from './tally.ts';

interface KeyedCard {
  line: number;
  card: PlannedCard;
  key: string;
}

// Keys are made in the file's order, before the rows are worked on in whichever order there is room.
async function* keyedCards(table: Table, columnId: string): AsyncGenerator<KeyedCard> {
  const occurrence = occurrenceCounter();
  for await (const row of plannedRows(table)) {
    if ('problem' in row) throw changedFile(row.line, row.problem);
    const { line, card } = row;
    yield { line, card, key: rowKey(columnId, card.hash, occurrence(card.hash)) };
  }
}

const changedFile = (line: number, what: string) =>
  new ImportError(`the file was changed during the import: line ${line}: ${what}`);

const bodyOf = ({ line, card }: KeyedCard, workstreamIds: Map<string, string>) => {
  const { title, description, workstream } = card;
  const id = workstream.prefix === undefined ? undefined : workstreamIds.get(workstream.prefix);
  if (workstream.prefix !== undefined && !id) throw changedFile(line, `it names the workstream ${workstream.prefix}`);
  return {
    title,
    ...(description === undefined ? {} : { description }),
    ...(id === undefined ? {} : { workstream_id: id }),
  };
};

/** Names the line in refusals that are about the row, and passes all others on. */
const explainRefusal = (line: number, error: unknown) => {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 'idempotency_key_reused') {
    return new ImportError(
      `line ${line} was imported into this column before with other options (pattern, description or truncate); use ` +
        'these again, or import into another --board or --column',
      { cause: error },
    );
  }
  const aboutTheRow = ['not_found', 'conflict', 'validation_error'].includes(error.code);
  return aboutTheRow ? new ImportError(`the service refused line ${line}: ${error.message}`, { cause: error }) : error;
};

/** Where the cards go and how fast. */
export interface CreateOptions {
  columnId: string;
  /** Id of each workstream that a row may name, by prefix. */
  workstreamIds: Map<string, string>;
  /** Counted up as cards are answered. */
  tally: Tally;
  concurrency: number;
  isStopped: () => boolean;
}

/**
 * Creates a card a row in a column.
 * @throws the first row's failure; every other row in hand is finished and counted first
 */
export const createCards = (client: CardinalClient, table: Table, options: CreateOptions): Promise<void> =>
  workThrough(keyedCards(table, options.columnId), options, async (keyed) => {
    let replayed = false;
    const body = bodyOf(keyed, options.workstreamIds);
    try {
      const card = await client.cards.create(options.columnId, body, {
        idempotencyKey: keyed.key,
        onReply: (reply) => {
          replayed = reply.replayed;
        },
      });
      countCard(options.tally, card.workstream.prefix, replayed);
    } catch (error) {
      throw explainRefusal(keyed.line, error);
    }
  });
