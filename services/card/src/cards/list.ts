import { type CardFilters, type listCards as contract, notFound } from '@cardinal/contracts';
import { rowsFor } from '@cardinal/db';
import { coalesce, openPage, pageBytes } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { positionKeys, positionOf } from '../positions/pages.ts';
import type { CardDocuments } from './documents.ts';
import { listCards as read } from './list-queries.ts';
import { type ListToOpen, type OpenedList, openLists } from './statements/open-lists.ts';

/** Of the column, then of the card. */
const keys = [...positionKeys, ...positionKeys] as const;

/** Lists opened at once and by one statement: few, as each means a page. */
const concurrency = 2;
const maxBatch = 16;

const isOfAll = ({ archived, ...others }: CardFilters) =>
  !archived && Object.values(others).every((filter) => filter === undefined);

/** The texts of a page's cards where all are known, and are no more than a page may hold. */
const textsOf = (states: string | null, documents: CardDocuments): string[] | undefined => {
  const texts: string[] = [];
  let bytes = 0;
  for (const state of states?.split(',') ?? []) {
    const document = documents.find(state);
    if (!document) return undefined;
    texts.push(document.text);
    bytes += Buffer.byteLength(document.text) + 1;
  }
  return bytes <= pageBytes ? texts : undefined;
};

/**
 * Lists the cards of a board by column, then by position. Lists that arrive together are opened in one statement. For one
 * without filters that is all, as long as its cards are known as they are; else the cards are read.
 */
export const listCards = (
  { db }: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
): DocumentHandler<typeof contract> => {
  const opening = coalesce<ListToOpen, OpenedList>({
    name: 'card_lists',
    concurrency,
    maxBatch,
    run: async (lists) =>
      (await db.read((tx) => rowsFor(tx, openLists, lists))).map((list) => list ?? notFound('Board')),
  });
  return async ({ workspace_id, user_id, board_id, filters, page: asked }) => {
    const page = openPage(['cards', workspace_id, board_id, Object.entries(filters).sort()], keys, asked);
    const documents = documentsNow();
    const [column_id, column_position, column_version, card_id, card_position, card_version] = page.after ?? [];
    const limit = isOfAll(filters) ? page.limit : 0;
    const list = await opening.submit({
      ...{ workspace_id, user_id, board_id, most: limit },
      ...{ column_id, column_position, column_version, card_id, card_position, card_version },
    });
    const texts = limit > 0 ? textsOf(list.states, documents) : undefined;
    if (texts) return page.of(texts, list.last ?? undefined);
    const listing = {
      ...{ workspaceId: workspace_id, boardId: board_id, filters, limit: page.limit },
      after:
        column_id === undefined
          ? undefined
          : {
              columnId: column_id,
              columnPosition: list.column_position as number,
              cardPosition: list.card_position as number,
            },
    };
    const rows = await db.read((tx) => read(tx, listing));
    return page.cut(rows, documents.of, ({ column_id, column_position, column_version, ...row }) => [
      ...positionOf({ id: column_id, position: column_position, version: column_version }),
      ...positionOf(row),
    ]);
  };
};
