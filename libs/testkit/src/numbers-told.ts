import type { Answer, AnyResource, Api } from './api.ts';

/** Requests under way at once. */
const atOnce = 16;

type Card = AnyResource & { identifier: string };

const made = <Data>({ status, body, text }: Answer<Data>): Data => {
  if (status !== 201) throw new Error(`${status}: ${text}`);
  return body.data;
};

/** What one or several clients were told, and where they create. */
interface Memory {
  column: string;
  cards: Map<string, string>;
  twice: string[];
}

const clientOf = (api: Api, memory: Memory) => {
  const { column, cards, twice } = memory;
  const note = ({ identifier, id }: Card) => {
    const other = cards.get(identifier);
    if (other !== undefined && other !== id) twice.push(`${identifier} of ${other} and ${id}`);
    cards.set(identifier, id);
  };
  /** Works through a list with several requests at once. */
  const each = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>) => {
    const left = [...items];
    const next = async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  };
  return {
    /** The same memory, at a stack that was restored from a backup. */
    at: (restored: Api) => clientOf(restored, memory),
    /** Makes a workstream. @returns its id */
    workstream: async (prefix: string): Promise<string> =>
      made(await api.post('/workstreams', { body: { name: prefix, prefix } })).id,
    /** Creates so many cards in each of some workstreams. */
    create: (workstreams: readonly string[], count: number): Promise<void> =>
      each(Array.from({ length: count }, () => workstreams).flat(), async (workstream_id) => {
        const body = { title: 'Numbered', workstream_id };
        note(made(await api.post<Card>(`/columns/${column}/cards`, { body })));
      }),
    /**
     * Looks every identifier up.
     * @returns how many were answered and how many of them are lost, and what must not be: identifiers that were given
     * twice, and those that name another card
     */
    check: async () => {
      const another: string[] = [];
      let lost = 0;
      await each([...cards], async ([identifier, id]) => {
        const { status, body, text } = await api.get<{ card: Card }>(`/cards/by-identifier/${identifier}`);
        if (status === 404) lost += 1;
        else if (status !== 200) throw new Error(`${identifier}: ${status} ${text}`);
        else if (body.data.card.id !== id) another.push(`${identifier} named ${id}, now ${body.data.card.id}`);
      });
      return { answered: cards.size, lost, twice, another };
    },
  };
};

/**
 * A client that creates cards in workstreams of a new board, and remembers every identifier that it was answered and for
 * which card.
 */
export const rememberNumbers = async (api: Api) => {
  const board = made(await api.post('/boards', { body: { name: 'Numbers' } }));
  const column = made(await api.post(`/boards/${board.id}/columns`, { body: { name: 'To do' } }));
  return clientOf(api, { column: column.id, cards: new Map(), twice: [] });
};
