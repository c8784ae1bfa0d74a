import { type Caller, createCard, replyOf, unavailable } from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { expect } from 'vitest';
import { cardMaker } from '../../src/cards/create.ts';
import { startFixture } from './fixture.ts';
import type { Instance } from './instance.ts';

/** Creates as one process serves them. */
export const createHandler = (context: Instance['context']) => {
  const handle = cardMaker(context);
  return async (request: Parameters<typeof handle>[0]) => createCard.reply.parse(replyOf(await handle(request)));
};

export const pass = async () => {};
export const fail = async () => {
  throw unavailable('The test says so');
};

/** Two instances that give out numbers, and the ledger's side, which does what a test sets, and no longer. */
export const startNumbers = async () => {
  const fixture = await startFixture({ instances: 2 });
  const [instance, other] = fixture.instances as [Instance, Instance];
  const unrecordedOf = ({ workspace_id }: Caller) =>
    instance.context.db.read((tx) =>
      tx
        .selectFrom('issued')
        .selectAll()
        .where('workspace_id', '=', workspace_id)
        .where('recorded_at', 'is', null)
        .execute(),
    );
  return {
    ...{ fixture, identifier: fixture.identifier, instance, other, unrecordedOf },
    settled: (caller: Caller) => eventually(async () => expect(await unrecordedOf(caller)).toEqual([])),
    idle: () => Promise.all([instance.context.recorder.idle(), other.context.recorder.idle()]),
  };
};
