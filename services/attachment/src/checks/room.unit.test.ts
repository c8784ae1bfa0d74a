import { expect, test } from 'vitest';
import { createRoom } from './room.ts';

/** Work that ends when it is told to, and whether it began. */
const work = () => {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const job = {
    began: false,
    end,
    run() {
      job.began = true;
      return promise;
    },
  };
  return job;
};

const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await undefined;
};

test('only what fits together is let in at once, in the order in which it came', async () => {
  const room = createRoom(10);
  const [six, four, nine, one] = [work(), work(), work(), work()];
  const done = [room.enter(6, six.run), room.enter(4, four.run), room.enter(9, nine.run), room.enter(1, one.run)];
  await turns();
  expect([six, four, nine, one].map(({ began }) => began)).toEqual([true, true, false, false]);
  six.end();
  await turns();
  expect([nine.began, one.began]).toEqual([false, false]);
  four.end();
  await turns();
  expect([nine.began, one.began]).toEqual([true, true]);
  nine.end();
  one.end();
  await Promise.all(done);
});

test('what is larger than the room has it for itself, and what fails makes room again', async () => {
  const room = createRoom(10);
  const [small, huge] = [work(), work()];
  const first = room.enter(1, () => small.run().then(() => Promise.reject(new Error('broken'))));
  const second = room.enter(1000, huge.run);
  await turns();
  expect(huge.began).toBe(false);
  small.end();
  await expect(first).rejects.toThrow('broken');
  await turns();
  expect(huge.began).toBe(true);
  huge.end();
  await second;
});
