import {
  type Change,
  changeOf,
  createFeed,
  createFollowedFeeds,
  createInternalEvents,
  createOutbox,
  migrate,
  openDatabase,
  type Reader,
} from '@cardinal/db';
import { testDatabase } from '@cardinal/testkit';
import { v7 } from 'uuid';

export type Tables = Record<never, never>;

const up = async (db: Reader): Promise<void> => {
  await createOutbox(db);
  await createFeed(db);
  await createInternalEvents(db);
  await createFollowedFeeds(db);
};

/** A database with only a feed and positions in others' feeds. */
export const feedDatabase = async () => {
  const { url } = await testDatabase();
  await migrate({ url, migrations: { '0001_feed': async () => ({ up }) } });
  return openDatabase<Tables>({ url, name: 'test', poolSize: 12 });
};

/** A change of which only the length matters. */
export const change = (text = 'x'): Change =>
  changeOf({
    type: 'card.created',
    by: { user_id: v7() },
    at: new Date(),
    subject: { type: 'card', id: v7() },
    data: { text },
  }) as Change;
