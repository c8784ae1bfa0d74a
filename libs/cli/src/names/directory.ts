import {
  getCard,
  getMe,
  isIdentifier,
  listBoards,
  listColumns,
  listLabels,
  listWorkstreams,
  type Operation,
  resolveIdentifiers,
} from '@cardinal/contracts';
import type { Api } from '@cardinal/mcp/calls';
import { UsageError } from '../errors.ts';
import { ask, itemsOf } from '../operations/ask.ts';
import { findNamed, type Named } from './find.ts';
import { isId, type Kind, type ShownKind } from './kinds.ts';

/** Where a column is looked for: on these boards; else on the board of this card; else everywhere. */
export interface Scope {
  boards?: readonly string[];
  card?: string | undefined;
}

/** Boards whose columns are read at once. */
const atOnce = 8;

/** What of a workspace is called what. Nothing is read twice. */
export const openDirectory = (api: Api) => {
  const lists = new Map<string, Promise<Named[]>>();
  const list = ({ http }: Pick<Operation, 'http'>, params: Record<string, string>, archived: boolean) => {
    const key = `${http.id} ${Object.values(params)} ${archived}`;
    const hasArchived = 'archived' in http.query.shape;
    const read = async () => {
      if (archived && !hasArchived) return [];
      const items: object[] = [];
      const query = hasArchived ? { archived } : {};
      for await (const item of itemsOf(api, http, { params, query })) items.push(item);
      return items as Named[];
    };
    const reading = lists.get(key) ?? read();
    lists.set(key, reading);
    return reading;
  };

  const boards = async (): Promise<Named[]> =>
    (await Promise.all([list(listBoards, {}, false), list(listBoards, {}, true)])).flat();

  const columnsOf = async (among: readonly Named[], archived: boolean): Promise<Named[]> => {
    const found: Named[] = [];
    for (let start = 0; start < among.length; start += atOnce) {
      const some = among.slice(start, start + atOnce).map(async ({ id, name }) => {
        const columns = await list(listColumns, { board_id: id }, archived);
        return columns.map((column) => ({ ...column, board: name }));
      });
      found.push(...(await Promise.all(some)).flat());
    }
    return found;
  };

  /** The board that a card is on. @throws CardinalError where the card is unknown */
  const boardOfCard = async (card: string): Promise<string> =>
    ((await ask(api, getCard.http, { params: { card_id: card } })).data as { board_id: string }).board_id;

  const column = async (text: string, scope: Scope): Promise<string> => {
    const ids = scope.boards ?? (scope.card === undefined ? undefined : [await boardOfCard(scope.card)]);
    const among = (await boards()).filter(({ id }) => ids === undefined || ids.includes(id));
    const [only] = among;
    const where = only && among.length === 1 && ids ? ` on board "${only.name}"` : '';
    return (await findNamed('column', text, (archived) => columnsOf(among, archived), where)).id;
  };

  const card = async (text: string): Promise<string> => {
    if (!isIdentifier(text)) throw new UsageError(`card "${text}": must be a UUID, or an identifier such as PAY-7`);
    const { data } = await ask(api, resolveIdentifiers.http, { params: {}, body: { identifiers: [text] } });
    const [found] = data as { card: { id: string } | null }[];
    if (found?.card) return found.card.id;
    throw new UsageError(`${text} leads to no card`);
  };

  const user = async (text: string): Promise<string> => {
    if (text !== 'me') throw new UsageError(`user "${text}": must be a UUID, or me`);
    return ((await ask(api, getMe.http, { params: {} })).data as { user_id: string }).user_id;
  };

  const named = async (kind: Kind, text: string, operation: Pick<Operation, 'http'>): Promise<string> =>
    (await findNamed(kind, text, (archived) => list(operation, {}, archived))).id;

  const listsOf: Record<ShownKind, (board: string | undefined, archived: boolean) => Promise<Named[]>> = {
    board: (_, archived) => list(listBoards, {}, archived),
    label: (_, archived) => list(listLabels, {}, archived),
    workstream: (_, archived) => list(listWorkstreams, {}, archived),
    column: async (board, archived) => (board === undefined ? [] : list(listColumns, { board_id: board }, archived)),
  };

  return {
    /** What an id is called; a column is looked for on its board. Undefined where that cannot be read. */
    nameOf: async (kind: ShownKind, id: string, board?: string): Promise<string | undefined> => {
      for (const archived of [false, true]) {
        // A name is no more than an ornament of what was asked for.
        const all = await listsOf[kind](board, archived).catch(() => []);
        const found = all.find((one) => one.id === id);
        if (found) return found.prefix ?? found.name;
      }
      return undefined;
    },
    /** The id of what is called so; an id goes through as it is. @throws UsageError where it is several, or none */
    idOf: (kind: Kind, text: string, scope: Scope = {}): Promise<string> => {
      if (isId(text)) return Promise.resolve(text);
      switch (kind) {
        case 'board':
          return named(kind, text, listBoards);
        case 'label':
          return named(kind, text, listLabels);
        case 'workstream':
          return named(kind, text, listWorkstreams);
        case 'column':
          return column(text, scope);
        case 'card':
          return card(text);
        case 'user':
          return user(text);
      }
    },
    /** The id of a board's first column. @throws UsageError where it has none */
    firstColumn: async (board: string): Promise<string> => {
      const [first] = await list(listColumns, { board_id: board }, false);
      if (first) return first.id;
      throw new UsageError('the board has no columns; "cardinal columns create BOARD --name NAME" makes one');
    },
  };
};

/** What {@link openDirectory} opens. */
export type Directory = ReturnType<typeof openDirectory>;
