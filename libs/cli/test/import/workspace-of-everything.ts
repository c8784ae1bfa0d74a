import { type Card, type CardinalClient, writeFresh } from '@cardinal/client/source';

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Makes a workspace that has some of all that there is, by way of the public API. */
export const makeEverything = async (client: CardinalClient): Promise<void> => {
  const fresh = (id: string, write: (card: Card) => Promise<unknown>) => writeFresh(() => client.cards.get(id), write);
  const transfer = (id: string, workstream_id: string) =>
    fresh(id, (card) => client.cards.transfer(card, { workstream_id }));

  const [bug, ui] = [
    await client.labels.create({ name: 'bug', color: '#d73a4a' }),
    await client.labels.create({ name: 'ui' }),
  ];
  const board = await client.boards.create({ name: 'Launch' });
  const open = await client.columns.create(board.id, { name: 'Open' });
  const done = await client.columns.create(board.id, { name: 'Done' });
  const old = await client.columns.create(board.id, { name: 'Old' });
  const create = (title: string, more: object = {}, column = open.id) =>
    client.cards.create(column, { title, ...more });

  // WEB and OLD adopt; WEB is opened and goes on, OLD is archived as it is. LEG still adopts.
  const [web, retired, leg] = await Promise.all(
    ['WEB', 'OLD', 'LEG'].map((prefix) => client.workstreams.create({ name: prefix, prefix, adopting: true })),
  );
  const pay = await client.workstreams.create({ name: 'Payments', prefix: 'PAY', description: 'Money' });
  const ops = await client.workstreams.create({ name: 'Operations', prefix: 'OPS' });
  if (!web || !retired || !leg) throw new Error('three workstreams were made');
  const ada = crypto.randomUUID();
  await client.people.add({ user_id: ada, name: 'Ada Lovelace', email: 'ada@example.com' });
  await client.people.add({ name: 'deploy bot', kind: 'machine' });
  const past = { created_at: '2020-02-01T08:00:00.000Z', created_by: ada };
  const adopted = await client.cards.adopt(web.id, {
    cards: [
      {
        number: 12,
        former: ['OLD-5', 'OLD-9'],
        column_id: open.id,
        title: 'Adopted',
        ...past,
        assignee_user_ids: [ada],
      },
      { number: 7, column_id: done.id, title: 'Adopted and done', ...past, completed_at: '2021-01-01T00:00:00.000Z' },
      {
        number: 8,
        column_id: open.id,
        title: 'Adopted and archived',
        ...past,
        archived_at: '2021-02-01T00:00:00.000Z',
      },
      { number: 9, former: ['OLD-2'], column_id: open.id, title: 'Adopted and deleted', ...past },
    ],
  });
  await client.cards.adopt(leg.id, { cards: [{ number: 40, column_id: old.id, title: 'Legacy', ...past }] });
  const idOf = (n: number) => adopted[n]?.data?.id ?? '';
  await fresh(idOf(3), (card) => client.cards.delete(card));
  await client.workstreams.open(web, { next_number: 20 });
  await client.workstreams.archive(retired);

  const one = await create('One', {
    label_ids: [bug.id, ui.id],
    priority: 'urgent',
    due_date: '2030-01-31T17:00:00.000Z',
  });
  const two = await create('Two', { description: 'Much\u2028more\nof it' });
  const paid = await create('Paid', { workstream_id: pay.id, assignee_user_ids: [ada] });
  const lost = await create('Deleted after a transfer');
  await transfer(lost.id, pay.id);
  await fresh(lost.id, (card) => client.cards.delete(card));
  // From MAIN to PAY and on to WEB, and back; what PAY numbers after that is numbered anew, too.
  for (const workstream of [pay, web, ops]) await transfer(one.id, workstream.id);
  await transfer(one.id, (await client.workstreams.list().all()).find(({ is_default }) => is_default)?.id ?? '');
  const late = await create('Paid later', { workstream_id: pay.id }, done.id);
  // A card with a past that leaves its workstream, and one that began in OPS and comes to WEB.
  await transfer(idOf(0), pay.id);
  const begun = await create('Begun in OPS', { workstream_id: ops.id });
  await transfer(begun.id, web.id);
  await fresh(late.id, (card) => client.cards.update(card, { completed: true }));
  await fresh(two.id, (card) => client.cards.move(card, { position: 'end' }));
  await fresh(begun.id, (card) => client.cards.move(card, { after_card_id: two.id }));
  await fresh(paid.id, (card) => client.cards.archive(card));
  await client.workstreams.archive(await client.workstreams.get(ops.id));

  const secret = await client.boards.create({ name: 'Secret', visibility: 'private', default_workstream_id: pay.id });
  await client.boards.addMember(secret.id, ada, { role: 'owner' });
  const hidden = await client.columns.create(secret.id, { name: 'Hidden' });
  const confidential = await create('Confidential', {}, hidden.id);

  const text = await client.files.upload({ name: 'notes.txt' }, Buffer.from('remember'));
  const image = await client.files.upload({ name: 'pixel.png', board_id: secret.id }, pixel);
  await client.files.create({ name: 'never sent' });
  await client.cards.setCover(confidential.id, image.id);
  for (const body of ['First', ' second ']) await client.comments.create(one.id, { body });
  const [first] = [
    await client.subtasks.create(one.id, { title: 'a' }),
    await client.subtasks.create(one.id, { title: 'b' }),
  ];
  await client.subtasks.setLinkedFile(first.id, text.id);
  await writeFresh(
    () => client.subtasks.get(first.id),
    (subtask) => client.subtasks.update(subtask, { completed: true, position: 'end' }),
  );

  for (const other of [two, paid, confidential]) await client.cards.addDependency(one.id, other.id);
  await client.cards.addDependency(begun.id, one.id);

  const gone = await client.boards.create({ name: 'Gone' });
  const goneColumn = await client.columns.create(gone.id, { name: 'Was' });
  for (const title of ['Left behind', 'Left behind too']) await create(title, {}, goneColumn.id);
  await client.boards.delete(gone);
  const shelf = await client.boards.create({ name: 'Shelf' });
  await create('Shelved', {}, (await client.columns.create(shelf.id, { name: 'On it' })).id);
  await client.boards.archive(shelf);
  await client.columns.archive(old);
  await create('Last');
};
