import { serviceNames } from '@cardinal/contracts';
import { eventually, rounds, type World } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { doctor } from '../doctor.ts';
import { aging, amid, modes, modesOf } from './drill.ts';
import { formerUpTo, type Import, lookUp, prepareImport, startImport } from './importers.ts';

const clients = rounds(64, 16);

/** Kills everything, and starts it again. */
const crash = (world: World) => {
  const rollback = async () => {
    const servers = ['postgres', 'nats'] as const;
    await Promise.all(servers.map((name) => world.kill(name, 'SIGKILL')));
    await Promise.all(servers.map((name) => world.restart(name)));
  };
  return amid(world, modes[1], rollback, { names: serviceNames });
};

/** Waits until the doctor finds nothing, in the register neither. */
const healthy = (world: World) =>
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

/** Two importers take the same file at once. */
export const describeImports = (worldOf: () => World) =>
  describe('two importers of one file', () => {
    it('bring each row to one card and lose none amid kill -9 of everything, and numbers follow the highest', async () => {
      const world = worldOf();
      const work = await startImport(world);
      const crashes = rounds(10, 1);
      for (let done = 0; done < crashes; done += 1) {
        await work.more(rounds(120, 40));
        await crash(world);
      }
      const last = await work.finish();
      show(`${crashes} crashes of everything: ${last} rows from two importers, ${work.told.size} identifiers answered`);

      const rows = after(0, last).map((number) => `WEB-${number}`);
      expect([...work.told.keys()].filter((one) => one.startsWith('WEB-')).sort()).toEqual(rows.sort());
      expect(await wrongIn(work)).toEqual(nothing);
      const listed = await work.client.all(`/boards/${work.board.id}/cards`);
      expect(listed.map(({ identifier }) => identifier).sort()).toEqual(rows);
      const former = await lookUp(work.client, formerUpTo(last));
      for (const [identifier, card] of former)
        expect([...(work.told.get(identifier.replace('OLD', 'WEB')) ?? [])]).toEqual([card]);

      await work.open();
      expect(await work.create(clients)).toEqual(after(last, clients));
      await healthy(world);
    });

    it.each(modesOf(modes[0]))(
      'bring each row to the same card where all are rolled back, and get no number that was issued where that is to before an opening, %s',
      async (mode) => {
        const world = worldOf();
        const opened = await prepareImport(world);
        await opened.again(40);
        const work = await startImport(world);
        await work.more(40);
        const kept = await world.ownPostgres().copy();
        const aged = await aging(world);
        await opened.again(60);
        await opened.open();
        expect(await opened.create(20)).toEqual(after(60, 20));
        await work.more(40);
        await Promise.race([aged(), work.imported]);
        await amid(world, mode, () => world.ownPostgres().setBack(kept));
        // The rows that would have these numbers are refused: the workstream remembers nothing, and the register does.
        expect(await opened.refused(61)).toEqual({ status: 409, code: 'conflict' });
        const numbers = await opened.create(20);
        expect(numbers[0]).toBeGreaterThan(80);
        const wrong = await wrongIn(opened);
        const lost = wrong.lost.filter((one) => numberOf(one) <= 40 || numberOf(one) > 80);
        expect({ ...wrong, lost }).toEqual(nothing);

        await expectSameCards(work, await work.finish(), mode);
        await healthy(world);
      },
    );
  });

/** Holds an import amid which everything was rolled back to what its file has and was answered, once it comes again. */
const expectSameCards = async (work: Import, last: number, mode: string) => {
  const answered = work.told.size;
  const { lost, twice, another } = await wrongIn(work);
  expect({ twice, another }).toEqual({ twice: [], another: [] });
  // The end of what was adopted before the rollback nobody brings again.
  const end = Math.max(...lost.map(numberOf)) - 10;
  const through = await work.again(end);
  await work.open();
  const numbers = await work.create(clients);
  const wrong = await wrongIn(work);
  show(
    `all databases were rolled back, ${mode}: ${answered} identifiers answered, ${lost.length} lost, ` +
      `${wrong.lost.length} after the import came again; ${numbers.length} created from ${numbers[0]}`,
  );
  expect(lost.length).toBeGreaterThan(20);
  expect({ ...wrong, lost: wrong.lost.filter((one) => numberOf(one) <= through) }).toEqual(nothing);
  expect(numbers[0]).toBeGreaterThan(last);
  expect(numbers).toEqual(after((numbers[0] ?? 0) - 1, clients));
};
