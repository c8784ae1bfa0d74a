import { type CardinalClient, createClient } from '@cardinal/client/source';
import type { SharedStack } from '@cardinal/testkit';
import type { Access } from '../run-cli.ts';

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const workstream = async (client: CardinalClient, prefix: string, number: number, columnId: string) => {
  const adopting = await client.workstreams.create({ name: `The ${prefix}`, prefix, adopting: true });
  const [made] = await client.cards.adopt(adopting.id, {
    cards: [{ number, column_id: columnId, title: `Refund ${prefix}` }],
  });
  if (!made?.data) throw new Error(`${prefix}-${number} was not adopted`);
  await client.workstreams.open(adopting);
  return { card: made.data };
};

export type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

/** A workspace that has what the examples of commands name: Launch, To do, bug, WEB, PAY-7, OPS-3. */
export const makeWorkspace = async (stack: SharedStack, isAdopting = false) => {
  const access: Access = { url: stack.origin, token: await stack.token({ scope: 'kanban:admin' }) };
  const client = createClient({ baseUrl: access.url, token: access.token });
  const board = await client.boards.create({ name: 'Launch' });
  const column = await client.columns.create(board.id, { name: 'To do' });
  const label = await client.labels.create({ name: 'bug' });
  const web = await client.workstreams.create({ name: 'Web', prefix: 'WEB', adopting: isAdopting });
  const [pay, ops] = [await workstream(client, 'PAY', 7, column.id), await workstream(client, 'OPS', 3, column.id)];
  const me = await client.me.get();
  return { access, client, board, column, label, web, pay, ops, me };
};

/** What commands know by its id alone, by the name of that id in a path. */
const unnamed = {
  comment_id: ({ client, pay }: Workspace) => client.comments.create(pay.card.id, { body: 'It was said before.' }),
  subtask_id: ({ client, pay }: Workspace) => client.subtasks.create(pay.card.id, { title: 'Ask the bank' }),
  file_id: ({ client }: Workspace) => client.files.upload({ name: 'pixel.png' }, pixel),
  api_key_id: ({ client }: Workspace) => client.keys.create({ name: 'laptop', scope: 'kanban:read' }),
  webhook_id: ({ client }: Workspace) =>
    client.webhooks.create({ url: 'https://receiver.invalid/', types: ['card.*'] }),
};

/** Makes those of them that a path names. @returns their ids */
export const makeUnnamed = async (workspace: Workspace, path: string): Promise<Record<string, string>> => {
  const named = Object.entries(unnamed).filter(([name]) => path.includes(`:${name}`));
  return Object.fromEntries(await Promise.all(named.map(async ([name, make]) => [name, (await make(workspace)).id])));
};
