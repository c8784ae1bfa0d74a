/**
 * Sets a workspace up: boards with their columns, labels, workstreams and people. It creates what is missing and leaves
 * everything else as it is, so a second run only reads: a request for each kind, and one for each board.
 *
 *   CARDINAL_URL=http://127.0.0.1:8080 CARDINAL_TOKEN=… node set-up.ts
 *
 * The token has the scope kanban:admin. Run one at a time: names of boards, columns and labels may occur twice.
 */
import { createClient } from '@cardinal/client';

const wanted = {
  boards: [
    { name: 'Payments', columns: ['To do', 'Doing', 'Done'] },
    { name: 'Web', columns: ['To do', 'Done'] },
  ],
  labels: ['bug', 'security'],
  workstreams: [
    { name: 'Payments', prefix: 'PAY' },
    { name: 'Web shop', prefix: 'WEB' },
  ],
  people: [{ name: 'Maria Silva', email: 'maria@example.com' }],
};

const client = createClient({
  baseUrl: process.env.CARDINAL_URL ?? 'http://127.0.0.1:8080',
  token: process.env.CARDINAL_TOKEN ?? '',
});

/** Finds each in the list by its key, in any letter case, or creates it. Returns all of them, in order. */
const ensure = async <Item, Want>(
  list: { all(): Promise<Item[]> },
  keyOf: (item: Item) => string | null,
  wants: readonly Want[],
  keyOfWant: (want: Want) => string,
  create: (want: Want) => Promise<Item>,
): Promise<Item[]> => {
  const known = new Map((await list.all()).map((item) => [keyOf(item)?.toLowerCase(), item]));
  const all: Item[] = [];
  for (const want of wants) all.push(known.get(keyOfWant(want).toLowerCase()) ?? (await create(want)));
  return all;
};

const nameOf = ({ name }: { name: string }) => name;
const itself = (name: string) => name;

const boards = await ensure(client.boards.list(), nameOf, wanted.boards, nameOf, ({ name }) =>
  client.boards.create({ name }),
);
for (const [at, { columns }] of wanted.boards.entries()) {
  const board = boards[at]?.id ?? '';
  await ensure(client.columns.list(board), nameOf, columns, itself, (name) => client.columns.create(board, { name }));
}
await ensure(client.labels.list(), nameOf, wanted.labels, itself, (name) => client.labels.create({ name }));
await ensure(
  client.workstreams.list(),
  (one) => one.prefix,
  wanted.workstreams,
  (one) => one.prefix,
  (one) => client.workstreams.create(one),
);
await ensure(
  client.people.list(),
  (one) => one.email,
  wanted.people,
  (one) => one.email,
  (one) => client.people.add(one),
);
