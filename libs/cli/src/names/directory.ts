import type { CardinalClient } from '@cardinal/client/source';
import { isIdentifier } from '@cardinal/contracts';
import { UsageError } from '../errors.ts';
import { findNamed, type Named } from './find.ts';
import { isId, type Kind, type ShownKind, shownField } from './kinds.ts';
import { openPeople } from './people.ts';

/** Where a column is looked for: on these boards; else on the board of this card; else everywhere. */
export interface Scope {
  boards?: readonly string[];
  card?: string | undefined;
}

/** Boards whose columns are read at once. */
const atOnce = 8;

/** Resources that say who somebody is: there an id stays. */
const isOfOne = (item: object): boolean => 'email' in item || 'token_expires_at' in item;

/** Kinds whose names are read all at once. */
type ListedKind = Exclude<ShownKind, 'user'>;

/** What of a workspace is called what. Nothing is read twice. */
export const openDirectory = (client: CardinalClient) => {
  const people = openPeople(client);
  const read = (kind: ListedKind, archived: boolean, board: string): Promise<Named[]> => {
    switch (kind) {
      case 'board':
        return client.boards.list({ archived }).all();
      case 'workstream':
        return client.workstreams.list({ archived }).all();
      case 'column':
        return client.columns.list(board, { archived }).all();
      case 'label':
        return archived ? Promise.resolve([]) : client.labels.list().all();
    }
  };

  const lists = new Map<string, Promise<Named[]>>();
  /** What is active of a kind, or archived; of columns those of a board. */
  const list = (kind: ListedKind, archived: boolean, board = ''): Promise<Named[]> => {
    const key = `${kind} ${archived} ${board}`;
    const reading = lists.get(key) ?? read(kind, archived, board);
    lists.set(key, reading);
    return reading;
  };

  const columnsOf = async (among: readonly Named[], archived: boolean): Promise<Named[]> => {
    const found: Named[] = [];
    for (let start = 0; start < among.length; start += atOnce) {
      const some = among.slice(start, start + atOnce).map(async ({ id, name }) => {
        const columns = await list('column', archived, id);
        return columns.map((column) => ({ ...column, board: name }));
      });
      found.push(...(await Promise.all(some)).flat());
    }
    return found;
  };

  const column = async (text: string, { boards, card }: Scope): Promise<string> => {
    const ids = boards ?? (card === undefined ? undefined : [(await client.cards.get(card)).board_id]);
    const all = (await Promise.all([list('board', false), list('board', true)])).flat();
    const among = all.filter(({ id }) => ids === undefined || ids.includes(id));
    const [only] = among;
    const where = only && among.length === 1 && ids ? ` on board "${only.name}"` : '';
    return (await findNamed('column', text, (archived) => columnsOf(among, archived), where)).id;
  };

  const card = async (text: string): Promise<string> => {
    if (!isIdentifier(text)) throw new UsageError(`card "${text}": must be a UUID, or an identifier such as PAY-7`);
    const [found] = await client.identifiers.resolve({ identifiers: [text] });
    if (found?.card) return found.card.id;
    throw new UsageError(`${text} leads to no card`);
  };

  /** What an id is called; a column is looked for on its board. The id itself where that cannot be read. */
  const nameOf = async (kind: ShownKind, id: unknown, board: string | undefined): Promise<unknown> => {
    if (typeof id !== 'string' || !isId(id) || (kind === 'column' && board === undefined)) return id;
    if (kind === 'user') return people.nameOf(id);
    for (const archived of [false, true]) {
      // A name is no more than an ornament of what was asked for.
      const all = await list(kind, archived, kind === 'column' ? board : '').catch(() => []);
      const found = all.find((one) => one.id === id);
      if (found) return found.prefix ?? found.name;
    }
    return id;
  };

  return {
    /** A resource with names in the place of ids, for a person; what has no name that is found keeps its id. */
    withNames: async (item: object): Promise<object> => {
      if (isOfOne(item)) return item;
      const { board_id: board } = item as { board_id?: string };
      const fields = Object.entries(item).map(async ([field, value]) => {
        const shown = shownField(field);
        if (!shown) return [field, value];
        const named = (id: unknown) => nameOf(shown.kind, id, board);
        return [shown.name, await (Array.isArray(value) ? Promise.all(value.map(named)) : named(value))];
      });
      return Object.fromEntries(await Promise.all(fields));
    },
    /** The id of what is called so; an id goes through as it is. @throws UsageError where it is several, or none */
    idOf: async (kind: Kind, text: string, scope: Scope = {}): Promise<string> => {
      if (isId(text)) return text;
      if (kind === 'column') return column(text, scope);
      if (kind === 'card') return card(text);
      if (kind === 'user') return people.idOf(text);
      return (await findNamed(kind, text, (archived) => list(kind, archived))).id;
    },
    people,
    /** The id of a board's first column. @throws UsageError where it has none */
    firstColumn: async (board: string): Promise<string> => {
      const [first] = await list('column', false, board);
      if (first) return first.id;
      throw new UsageError('the board has no columns; "cardinal columns create BOARD --name NAME" makes one');
    },
  };
};

/** What {@link openDirectory} opens. */
export type Directory = ReturnType<typeof openDirectory>;
