import { notePeople, type Visitor } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import type { Claims, Principal } from './claims.ts';
import { createVisitors } from './visitors.ts';

const start = () => {
  const sent: Visitor[] = [];
  const failing = { times: 0 };
  const call = async (contract: unknown, { people }: { people: Visitor[] }) => {
    expect(contract).toBe(notePeople);
    if (failing.times-- > 0) throw new Error('away');
    sent.push(...people);
    return {};
  };
  const visitors = createVisitors({ call } as never, createLogger({ service: 'test', level: 'silent' }));
  onTestFinished(() => visitors.stop());
  return { sent, failing, visitors };
};

const caller = { workspace_id: v7(), user_id: v7() };
const principal = (claims?: Claims): Principal => ({
  caller,
  key: `${caller.workspace_id}|${caller.user_id}`,
  rank: 1,
  expiresAt: 0,
  ...(claims && { claims }),
});
const maria = { name: 'Maria', email: 'maria@example.com', issued_at: '2030-01-02T00:00:00.000Z' };

it('notes a user once, and again where the claims of a token that is no older change', async () => {
  const { sent, visitors } = start();
  for (let n = 0; n < 3; n += 1) visitors.note(principal(maria));
  visitors.note(principal());
  visitors.note(principal({ ...maria, name: 'Earlier', issued_at: '2030-01-01T00:00:00.000Z' }));
  await visitors.stop();
  expect(sent).toEqual([{ ...caller, ...maria, at: expect.any(String) }]);
  visitors.note(principal({ ...maria, name: 'Maria Silva' }));
  await visitors.stop();
  expect(sent.map(({ name }) => name)).toEqual(['Maria', 'Maria Silva']);
});

it('notes a user with the next request where a note was lost', async () => {
  const { sent, failing, visitors } = start();
  failing.times = 1;
  visitors.note(principal(maria));
  await eventually(() => expect(failing.times).toBe(0));
  await eventually(() => {
    visitors.note(principal(maria));
    expect(sent).toHaveLength(1);
  });
});
