// What a user of the package writes: compiled under both module resolutions, then run by Node and browsers.
import { type Attempt, type Card, CardinalError, createClient, type Listing } from '../src/index.ts';

const explain = (error: unknown): string => {
  if (!(error instanceof CardinalError)) throw error;
  switch (error.code) {
    case 'precondition_failed': {
      const version: number = error.details.current_version;
      return `stale, now ${version}`;
    }
    case 'conflict':
      return `cycle ${error.details?.path.length ?? 0}`;
    case 'validation_error':
      return `fields ${error.details?.map(({ path }) => path.join('.')).join()}`;
    case 'file_not_clean':
      return error.details.file.name;
    case 'connection_failed':
    case 'timed_out':
      return error.details.reason;
    default: {
      // @ts-expect-error: details of other codes have no version
      error.details?.current_version;
      return error.code;
    }
  }
};

const failure = (promise: Promise<unknown>) => promise.then(() => 'none', explain);

export const run = async (baseUrl: string, token: string) => {
  const attempts: Attempt[] = [];
  const client = createClient({
    baseUrl,
    token,
    headers: { 'x-request-id': 'program' },
    onAttempt: (each) => attempts.push(each),
  });
  // @ts-expect-error: a board needs a name
  const invalid = client.boards.create({});
  const fields = await failure(invalid);
  const board = await client.boards.create({ name: 'Installed' });
  const column = await client.columns.create(board.id, { name: 'To do' });
  for (const title of ['a', 'b', 'c']) await client.cards.create(column.id, { title, priority: 'urgent' });
  const list: Listing<Card> = client.cards.list(board.id, { priority: 'urgent' }, { pageSize: 1 });
  const [first, second] = await list.all({ limit: 2 });
  if (!first || !second) throw new Error('no cards');
  await client.cards.update(first, { title: 'changed', description: null });
  const stale = await failure(client.cards.update(first, { title: 'lost' }));
  await client.cards.addDependency(first.id, second.id);
  const cycle = await failure(client.cards.addDependency(second.id, first.id));
  const file = await client.files.upload({ name: 'note.txt' }, new Blob(['hello']));
  const text = await (await client.files.getContent(file.id)).text();
  await client.cards.delete(await client.cards.get(second.id));
  const followed: string[] = [];
  for await (const event of client.events.follow({ after: 0, types: ['card.*'] })) {
    followed.push(event.type);
    // Its type says what its data is.
    if (event.type === 'card.deleted') break;
  }
  return {
    fields,
    titles: [first.title, second.title],
    stale,
    cycle,
    text,
    cover: await client.cards.getCover(first.id),
    gone: await failure(client.cards.get(second.id)),
    followed,
    operations: [...new Set(attempts.map(({ operation }) => operation))],
    requestIds: [...new Set(attempts.map(({ requestId }) => requestId))],
  };
};
