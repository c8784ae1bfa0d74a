import { setTimeout } from 'node:timers/promises';
import { serviceNames } from '@cardinal/contracts';
import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { doctor } from '../doctor.ts';
import { aging, amid, modes, modesOf } from '../restored/drill.ts';
import { formerUpTo, type Import, lookUp, startImport } from './importers.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ ownPostgres: true, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

const pauseMs = 2_000;
const clients = rounds(64, 16);

/** Kills everything, and starts it again. */
const crash = () => {
  const fall = async () => {
    const servers = ['postgres', 'nats'] as const;
    await Promise.all(servers.map((name) => world.kill(name, 'SIGKILL')));
    await Promise.all(servers.map((name) => world.restart(name)));
  };
  return amid(world, modes[1], fall, serviceNames);
};

/** Waits until the doctor finds nothing, in the register neither. */
const healthy = () =>
  eventually(() => doctor({ DATABASE_URL: world.adminUrl, NATS_URL: world.natsUrls.deploy ?? '' }), { everyMs: 2_000 });

/** What was answered for two cards, and what names another card than was answered. */
const wrongIn = async ({ client, told }: Import) => {
  const named = await lookUp(client, told.keys());
  const all = [...told];
  return {
    twice: all.filter(([, cards]) => cards.size > 1).map(([identifier]) => identifier),
    another: all
      .filter(([identifier, cards]) => named.get(identifier) !== undefined && !cards.has(named.get(identifier) ?? ''))
      .map(([identifier]) => identifier),
    lost: all.filter(([identifier]) => named.get(identifier) === undefined).map(([identifier]) => identifier),
  };
};
const numberOf = (identifier: string) => Number(identifier.split('-')[1]);
const nothing = { twice: [], another: [], lost: [] };
const after = (last: number, count: number) => Array.from({ length: count }, (_, at) => last + 1 + at);
const show = (text: string) => void process.stdout.write(`${text}\n`);

describe('two importers of one file', () => {
  it('bring each row to one card and lose none amid kill -9 of everything, and numbers follow the highest', async () => {
    const work = await startImport(world);
    const crashes = rounds(10, 1);
    let isOver = false;
    const imported = work.run(() => isOver);
    for (let done = 0; done < crashes; done += 1) {
      await Promise.race([setTimeout(pauseMs), imported]);
      await crash();
    }
    isOver = true;
    const last = await imported;
    show(`${crashes} crashes of everything: ${last} rows from two importers, ${work.told.size} identifiers answered`);

    const rows = after(0, last).map((number) => `WEB-${number}`);
    expect([...work.told.keys()].filter((one) => one.startsWith('WEB-')).sort()).toEqual(rows.sort());
    expect(await wrongIn(work)).toEqual(nothing);
    const listed = await work.client.all(`/boards/${work.board.id}/cards`);
    expect(listed.map(({ identifier }) => identifier).sort()).toEqual(rows);
    const former = await lookUp(work.client, formerUpTo(last));
    for (const [identifier, card] of former)
      expect([...(work.told.get(identifier.replace('OLD', 'WEB')) ?? [])]).toEqual([card]);
    await healthy();

    await work.open();
    expect(await work.create(clients)).toEqual(after(last, clients));
    await healthy();
  });

  it.each(modesOf(modes[0]))('bring each row to the same card where all databases fall back, %s', async (mode) => {
    const work = await startImport(world);
    const postgres = world.ownPostgres();
    let isOver = false;
    const some = (rows: number) => {
      const goal = work.told.size + rows;
      const isDone = eventually(() => expect(work.told.size).toBeGreaterThanOrEqual(goal), { timeoutMs: 90_000 });
      return Promise.race([isDone, imported]);
    };
    const imported = work.run(() => isOver);
    await some(40);
    const kept = await postgres.copy();
    const aged = await aging(world);
    await some(60);
    await Promise.race([aged(), imported]);
    await amid(world, mode, () => postgres.setBack(kept));
    isOver = true;
    const last = await imported;
    const answered = work.told.size;
    const { lost, twice, another } = await wrongIn(work);
    expect({ twice, another }).toEqual({ twice: [], another: [] });
    // The end of what was adopted before the fall nobody brings again.
    const end = Math.max(...lost.map(numberOf)) - 10;
    const through = await work.again(end);
    await work.open();
    const numbers = await work.create(clients);
    const wrong = await wrongIn(work);
    show(
      `all databases fell back, ${mode}: ${answered} identifiers answered, ${lost.length} lost, ` +
        `${wrong.lost.length} after the import came again; ${numbers.length} created from ${numbers[0]}`,
    );
    expect(lost.length).toBeGreaterThan(20);
    expect({ ...wrong, lost: wrong.lost.filter((one) => numberOf(one) <= through) }).toEqual(nothing);
    expect(numbers[0]).toBeGreaterThan(last);
    expect(numbers).toEqual(after((numbers[0] ?? 0) - 1, clients));
    await healthy();
  });

  it.each(modesOf(modes[0]))(
    'get no number that was issued where all fall back to before the opening, %s',
    async (mode) => {
      const work = await startImport(world);
      const postgres = world.ownPostgres();
      await work.again(40);
      const kept = await postgres.copy();
      const aged = await aging(world);
      await work.again(60);
      await work.open();
      expect(await work.create(10)).toEqual(after(60, 10));
      await aged(1);
      expect(await work.create(10)).toEqual(after(70, 10));
      await aged(2);
      await amid(world, mode, () => postgres.setBack(kept));

      // The rows that would have these numbers are refused: the workstream remembers nothing, and the register does.
      expect(await work.refused(61)).toEqual({ status: 409, code: 'conflict' });
      const numbers = await work.create(20);
      expect(numbers[0]).toBeGreaterThan(80);
      const wrong = await wrongIn(work);
      expect({ ...wrong, lost: wrong.lost.filter((one) => numberOf(one) <= 40 || numberOf(one) > 80) }).toEqual(
        nothing,
      );
      await healthy();
    },
  );
});
