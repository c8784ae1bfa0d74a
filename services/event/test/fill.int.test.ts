import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type FeedOwner, feedOwners } from '@cardinal/contracts';
import type { Failpoint } from '@cardinal/runtime';
import { eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Rollbacks, runRound } from '../src/fill/round.ts';
import { createDays } from '../src/log/days.ts';
import { type Harness, startHarness } from './support/harness.ts';
import { startInstance } from './support/instance.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ instances: 0 });
});

/** Starts an instance for one test. */
const start = async () => {
  const instance = await startInstance(harness.where);
  onTestFinished(() => instance.stop());
  return instance;
};

const idsOf = async (workspaceId: string) => (await harness.readAll(workspaceId)).map(({ id }) => id);

/** Everything in the feeds of a workspace, in the order that the log owes: by time, owner and number. */
const noted = async (workspaceId: string): Promise<string[]> => {
  const rows = await Promise.all(
    feedOwners.map(async (owner, rank) => {
      const changes = sql<{ id: string; at: number; seq: number }>`
        select id, (extract(epoch from noted_at) * 1000000)::bigint as at, seq from changes
        where workspace_id = ${workspaceId}`;
      const found = await harness.owners[owner].db.read((tx) => changes.execute(tx));
      return found.rows.map((row) => ({ ...row, rank }));
    }),
  );
  const all = rows.flat().sort((one, other) => one.at - other.at || one.rank - other.rank || one.seq - other.seq);
  return all.map(({ id }) => id);
};

/** Waits until the log has everything; fails where it has anything twice, in another order or with a gap. */
const expectWhole = async (workspaceId: string, count: number) => {
  await eventually(async () => expect(await idsOf(workspaceId)).toHaveLength(count));
  const events = await harness.readAll(workspaceId);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, at) => at + 1));
  expect(events.map(({ id }) => id)).toEqual(await noted(workspaceId));
  expect(events.map(({ text }) => JSON.parse(text))).toEqual(
    events.map(({ id, seq }) => expect.objectContaining({ id, seq })),
  );
};

const ownerAt = (at: number): FeedOwner => feedOwners[at % feedOwners.length] ?? 'card';

describe('the log of a workspace', () => {
  it('has the changes of all owners, in the order of their times', async () => {
    await start();
    const workspace = v7();
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      ids.push(...(await harness.owners[ownerAt(at)].note(workspace, [{ title: `${at}` }, { title: `${at}, too` }])));
    }
    await expectWhole(workspace, 40);
    expect(await idsOf(workspace)).toEqual(ids);
  });

  it('has changes from before its start, and changes whose signal was lost', async () => {
    const workspace = v7();
    await harness.owners.identifier.note(workspace, [{}, {}]);
    await start();
    await expectWhole(workspace, 2);
    await harness.owners.dependency.note(workspace, [{}, {}, {}], true);
    await expectWhole(workspace, 5);
  });

  it('has changes that do not fit into one message', async () => {
    await start();
    const workspace = v7();
    const long = { title: '"\\\n'.repeat(20_000) };
    await Promise.all([
      harness.owners.card.note(
        workspace,
        Array.from({ length: 25 }, () => long),
      ),
      harness.owners.attachment.note(
        workspace,
        Array.from({ length: 3_000 }, () => ({})),
      ),
    ]);
    await harness.owners.identifier.note(workspace, [{}]);
    await expectWhole(workspace, 3_026);
  });

  it('waits for a change that was noted before others and is not committed yet', async () => {
    await start();
    const workspace = v7();
    await harness.owners.card.note(workspace, [{}]);
    await harness.owners.dependency.note(workspace, [{}]);
    await expectWhole(workspace, 2);
    await harness.owners.card.noteSlowly(workspace, [{ title: 'slow' }], async () => {
      await harness.owners.dependency.note(workspace, [{ title: 'quick' }]);
      await harness.owners.card.note(v7(), [{}]);
    });
    await expectWhole(workspace, 4);
  });
});

describe('many instances', () => {
  it('fill the same logs at once, each change once', async () => {
    await Promise.all([start(), start(), start()]);
    const workspaces = Array.from({ length: 12 }, () => v7());
    const rounds = Array.from({ length: 8 }, (_, at) => at);
    await Promise.all(
      feedOwners.map(async (owner) => {
        for (const round of rounds) {
          const isQuiet = round % 3 === 0;
          await Promise.all(workspaces.map((id) => harness.owners[owner].note(id, [{}, {}], isQuiet)));
        }
      }),
    );
    for (const id of workspaces) await expectWhole(id, feedOwners.length * rounds.length * 2);
  });

  it.each<Failpoint>(['before-log-commit', 'after-log-commit'])('go on where one was killed %s', async (point) => {
    const workspaces = Array.from({ length: 5 }, () => v7());
    for (const id of workspaces) await harness.owners.card.note(id, [{}, {}], true);
    const program = fileURLToPath(new URL('./support/killed-instance.ts', import.meta.url));
    const { databaseUrl, natsUrl } = harness.where;
    const [, signal] = await once(fork(program, [databaseUrl, natsUrl, point], { execArgv: [] }), 'close');
    expect(signal).toBe('SIGKILL');
    const lengths = await Promise.all(workspaces.map(async (id) => (await idsOf(id)).length));
    expect(lengths.some((length) => length > 0)).toBe(point === 'after-log-commit');
    for (const id of workspaces) await harness.owners.attachment.note(id, [{}], true);
    await start();
    for (const id of workspaces) await expectWhole(id, 3);
  });
});

describe('a round', () => {
  it('appends nothing if another instance appended first, and tries again', async () => {
    const workspace = v7();
    await createDays(harness.db).ahead(new Date());
    const { db, bus } = harness;
    const rollbacks: Rollbacks = {
      met: async () => ({ epoch: 1, generation: 0, table: 0 }),
      isCurrent: async () => true,
      raise: async (logs) => [...logs],
      reset: () => expect.unreachable('nothing is broken'),
      noteAppended: () => undefined,
      waiting: async () => [],
    };
    const round = (meanwhile: () => Promise<void>) => {
      const raise: Rollbacks['raise'] = async (logs) => {
        await meanwhile();
        return [...logs];
      };
      return runRound({ db, bus, rollbacks: { ...rollbacks, raise } }, [workspace]);
    };
    await harness.owners.card.note(workspace, [{}, {}]);
    const slow = await round(async () => {
      expect((await round(async () => {})).grown).toEqual([{ workspace_id: workspace, last: 2 }]);
      await harness.owners.card.note(workspace, [{}]);
    });
    expect(slow).toEqual({ grown: [], again: [workspace], later: [] });
    expect((await round(async () => {})).grown).toEqual([{ workspace_id: workspace, last: 3 }]);
    await expectWhole(workspace, 3);
  });
});

describe('while a server or an owner is away', () => {
  it('nothing is appended without an owner, and all of it once it is back', async () => {
    await start();
    const workspace = v7();
    await harness.owners.card.note(workspace, [{}]);
    await expectWhole(workspace, 1);
    await harness.owners.attachment.leave();
    await harness.owners.card.note(workspace, [{}, {}]);
    await harness.owners.identifier.note(workspace, [{}]);
    expect(await idsOf(workspace)).toHaveLength(1);
    await harness.owners.attachment.comeBack();
    await expectWhole(workspace, 4);
  });

  it('the broker may be restarted, and every nudge be lost', async () => {
    await start();
    const workspace = v7();
    await harness.nats.kill();
    await harness.owners.card.note(workspace, [{}, {}]);
    await harness.nats.restart();
    await harness.owners.dependency.note(workspace, [{}]);
    await expectWhole(workspace, 3);
  });

  it('the database may break every connection', async () => {
    await start();
    const workspace = v7();
    await harness.owners.card.note(workspace, [{}]);
    await expectWhole(workspace, 1);
    await harness.breakConnections();
    await harness.owners.card.note(workspace, [{}, {}]);
    await expectWhole(workspace, 3);
  });
});
