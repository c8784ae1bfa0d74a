import { writeFresh } from '@cardinal/client/source';
import { forEachConcurrently, goOn } from '../concurrently.ts';
import { columnsAtOnce, type ImportContext } from './context.ts';
import { merged } from './merged.ts';
import type { CardHead } from './survey.ts';

/**
 * The moves that sort a column: each card goes behind its predecessor, or to the start, unless it is there
 * already. Cards that are `isFixed` stay; they are in order among each other.
 */
export const movesTo = (
  wanted: string[],
  current: string[],
  isFixed: (id: string) => boolean,
): { id: string; after: string | undefined }[] => {
  const next = new Map<string | undefined, string | undefined>();
  const previous = new Map<string, string | undefined>();
  const join = (a: string | undefined, b: string | undefined) => {
    next.set(a, b);
    if (b !== undefined) previous.set(b, a);
  };
  for (const [n, id] of current.entries()) join(current[n - 1], id);
  join(current.at(-1), undefined);
  const moves: { id: string; after: string | undefined }[] = [];
  for (const [n, id] of wanted.entries()) {
    const after = wanted[n - 1];
    if (isFixed(id) || next.get(after) === id) continue;
    join(previous.get(id), next.get(id));
    const follower = next.get(after);
    join(after, id);
    join(id, follower);
    moves.push({ id, after });
  }
  return moves;
};

/**
 * Sorts the columns that have cards with new numbers, which were created in the order of their numbers. Adopted cards are
 * in order among each other, so only the others are moved; archived cards cannot be moved.
 */
export const orderColumns = async (context: ImportContext): Promise<void> => {
  const { client, journal, survey, replay } = context;
  const columns = new Map<string, CardHead[]>();
  for (const head of survey.cards.values()) {
    const heads = columns.get(head.column_id) ?? [];
    heads.push(head);
    columns.set(head.column_id, heads);
  }
  const boards = new Map(survey.columns.map(({ id, board_id }) => [id, board_id]));
  const isAdopted = ({ id }: CardHead) => (replay.adopted.get(id) ?? 0) > 0;
  const order = async ([column, heads]: [string, CardHead[]]) => {
    if (heads.every(isAdopted)) return;
    await journal.once(`order of ${column}`, async () => {
      const [board_id, column_id] = [journal.id(`board ${boards.get(column)}`), journal.id(`column ${column}`)];
      const list = (archived: boolean) => client.cards.list(board_id, { column_id, archived });
      const current: string[] = [];
      for await (const { id } of merged(list(false), list(true), (a, b) => a.position - b.position)) current.push(id);
      const wanted = heads.toSorted((a, b) => a.position - b.position).map(({ id }) => journal.id(`card ${id}`));
      const fixed = new Set(heads.filter(isAdopted).map(({ id }) => journal.id(`card ${id}`)));
      for (const { id, after } of movesTo(wanted, current, (one) => fixed.has(one))) {
        goOn(context);
        const place = after === undefined ? { position: 'start' as const } : { after_card_id: after };
        await writeFresh(
          () => client.cards.get(id),
          (card) => client.cards.move(card, place),
        );
      }
      return '';
    });
  };
  await forEachConcurrently(columns, { ...context, concurrency: columnsAtOnce }, order);
};
