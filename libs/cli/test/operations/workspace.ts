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

/** The ids of what commands know by its id alone. */
export const makeUnnamed = async ({ client, pay }: Awaited<ReturnType<typeof makeWorkspace>>) => {
  const comment = await client.comments.create(pay.card.id, { body: 'It was said before.' });
  const subtask = await client.subtasks.create(pay.card.id, { title: 'Ask the bank' });
  const file = await client.files.upload({ name: 'pixel.png' }, pixel);
  const webhook = await client.webhooks.create({ url: 'https://receiver.invalid/', types: ['card.*'] });
  return { comment_id: comment.id, subtask_id: subtask.id, file_id: file.id, webhook_id: webhook.id };
};
