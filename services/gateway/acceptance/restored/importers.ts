import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { eventually, rounds } from '@cardinal/testkit';
import { expect } from 'vitest';
import { type Answer, type Body, type Client, together, untilAnswered, workspaceWithBoard } from '../workspace.ts';

/** Rows of one request. */
const batchSize = 20;
/** How many batches of another importer's file an importer is ahead of it. */
const aheadBy = 1;
/** The pause of an importer between two batches, ms. It leaves most of the machine to processes that start. */
const thinkMs = rounds(150, 400);
const lookUpsAtOnce = 24;

const dayMs = 86_400_000;
const firstDay = Date.UTC(2015, 0, 1);
/** A row as it stands in a file, the same in each; every fifth card had another identifier before. */
const rowOf = (number: number, columnId: string) => ({
  number,
  column_id: columnId,
  title: `row ${number}`,
  created_at: new Date(firstDay + number * dayMs).toISOString(),
  ...(number % 5 === 0 && { former: [`OLD-${number}`] }),
});

/** Where two importers bring cards to, with what they were answered. */
export type Import = Awaited<ReturnType<typeof prepareImport>>;

/** Makes a workspace with two workstreams that adopt, `WEB` and, for former identifiers, `OLD`. */
export const prepareImport = async (stack: Parameters<typeof workspaceWithBoard>[0]) => {
  const { client, board, column } = await workspaceWithBoard(stack);
  const adopting = (prefix: string) =>
    client.data(client.post('/workstreams', { body: { name: prefix, prefix, adopting: true } }));
  const [web] = [await adopting('WEB'), await adopting('OLD')];
  /** The cards that each identifier was answered for. */
  const told = new Map<string, Set<string>>();
  const note = (identifier: string, cardId: string) => {
    told.set(identifier, (told.get(identifier) ?? new Set()).add(cardId));
  };

  const rowsFrom = (from: number) => Array.from({ length: batchSize }, (_, at) => rowOf(from + at, column.id));
  const send = (rows: object[]): Promise<Answer> => {
    const key = randomUUID();
    return untilAnswered(() => client.post(`/workstreams/${web.id}/adoptions`, { key, body: { cards: rows } }));
  };
  /** Sends one batch until it is adopted; identifiers of other cards are noted as theirs. */
  const adopt = async (from: number): Promise<void> => {
    const rows = rowsFrom(from);
    const { status, body } = await send(rows);
    if (status !== 200) throw new Error(`rows from ${from}: ${status} ${JSON.stringify(body)}`);
    expect(body.data).toHaveLength(rows.length);
    for (const { identifier, status, data, error } of body.data as Body[]) {
      if (status !== 201 && !error.details?.card_id) throw new Error(`${identifier}: ${JSON.stringify(error)}`);
      note(status === 201 ? identifier : error.details.identifier, data?.id ?? error.details.card_id);
    }
  };

  return {
    client,
    board,
    column,
    web,
    told,
    /**
     * Two importers take the same file at once, the second one a batch behind and half a batch shifted, so that each row comes
     * from both. They go on until `isOver`, and to the same end.
     * @returns the last row
     */
    run: async (isOver: () => boolean): Promise<number> => {
      let batches = 0;
      let decided: number | undefined;
      await together(2, async (importer) => {
        const shift = importer === 0 ? 1 : 1 + batchSize / 2;
        if (importer === 1) await setTimeout(aheadBy * thinkMs);
        for (let batch = 0; decided === undefined || batch < decided; batch += 1) {
          await adopt(batch * batchSize + shift);
          batches = Math.max(batches, batch + 1);
          if (isOver()) decided ??= batches + 1;
          await setTimeout(thinkMs);
        }
      });
      return (decided ?? 0) * batchSize + batchSize / 2;
    },
    /** Takes the file from its first row again. @returns the last row of the batches that end before the given one */
    again: async (end: number): Promise<number> => {
      const batches = Math.floor(end / batchSize);
      for (let batch = 0; batch < batches; batch += 1) await adopt(batch * batchSize + 1);
      return batches * batchSize;
    },
    /** How a batch is refused as a whole. */
    refused: async (from: number) => {
      const { status, body } = await send(rowsFrom(from));
      return { status, code: body.error?.code };
    },
    /** Opens the workstream. */
    open: async (): Promise<void> => {
      const key = randomUUID();
      const send = () => client.post(`/workstreams/${web.id}/open`, { key, ifMatch: web.version });
      const { status, body } = await untilAnswered(send);
      expect({ status, body }).toMatchObject({ status: 200, body: { data: { adopting: false } } });
    },
    /** Has so many clients create a card at once. @returns the numbers, lowest first */
    create: async (clients: number): Promise<number[]> => {
      const numbers = await together(clients, async (at) => {
        const key = randomUUID();
        const body = { title: `card of ${at}`, workstream_id: web.id };
        const made = await untilAnswered(() => client.post(`/columns/${column.id}/cards`, { key, body }));
        expect(made.status).toBe(201);
        note(made.body.data.identifier, made.body.data.id);
        return Number(made.body.data.identifier.split('-')[1]);
      });
      return numbers.sort((one, other) => one - other);
    },
  };
};

/** Two importers at work in such a place. */
export const startImport = async (stack: Parameters<typeof prepareImport>[0]) => {
  const prepared = await prepareImport(stack);
  const { told } = prepared;
  let isOver = false;
  const imported = prepared.run(() => isOver);
  // It is waited for below.
  imported.catch(() => {});
  return {
    ...prepared,
    /** Rejects with what an importer met; they end by themselves for no other reason. */
    imported,
    /** Resolves when so many more identifiers were answered. */
    more: async (count: number) => {
      const goal = told.size + count;
      await Promise.race([eventually(() => expect(told.size).toBeGreaterThanOrEqual(goal)), imported]);
    },
    /** Has both end at the same row. @returns the last row */
    finish: () => {
      isOver = true;
      return imported;
    },
  };
};

/** The card that each identifier names; undefined for one that names none. */
export const lookUp = async (
  client: Client,
  identifiers: Iterable<string>,
): Promise<Map<string, string | undefined>> => {
  const named = new Map<string, string | undefined>();
  const rest = [...identifiers];
  await together(lookUpsAtOnce, async () => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      const path = `/cards/by-identifier/${next}`;
      const { status, body }: Answer = await untilAnswered(() => client.get(path));
      expect([200, 404]).toContain(status);
      named.set(next, body.data?.card.id);
    }
  });
  return named;
};

/** The former identifiers of the rows up to the last. */
export const formerUpTo = (last: number): string[] =>
  Array.from({ length: Math.floor(last / 5) }, (_, at) => `OLD-${(at + 1) * 5}`);
