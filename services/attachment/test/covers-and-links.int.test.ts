import {
  type Caller,
  cardDeleted,
  deleteCover,
  deleteFile,
  deleteLinkedFile,
  getCover,
  type InternalEvent,
  linkedFileChanged,
  putCover,
  putLinkedFile,
} from '@cardinal/contracts';
import { aCaller, aCommand, eventually, unsigned, whitePng } from '@cardinal/testkit';
import { internalEventsOf } from '@cardinal/testkit/instance';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startHarness, uploaded } from './support/harness.ts';
import { picture } from './support/images.ts';

const harness = await startHarness();
const { bus, card: double, db } = harness;

/** A card that this caller sees, by the stand-in. */
const aCard = () => {
  const id = v7();
  double.cards.set(id, { boardDeleted: false });
  return id;
};

const aSubtask = (card = aCard()) => {
  const id = v7();
  double.subtasks.set(id, card);
  return id;
};

const events = async (by: Caller, type: string): Promise<InternalEvent[]> =>
  (await internalEventsOf({ db }, by.workspace_id)).filter((event) => event.type === type);

/** The card service reports that a card is deleted. */
const emitDeleted = (by: Caller, id: string) =>
  double.feed.append({
    id: v7(),
    type: cardDeleted.type,
    version: cardDeleted.version,
    occurred_at: new Date().toISOString(),
    workspace_id: by.workspace_id,
    request_id: 'r',
    aggregate_id: id,
    aggregate_version: 9,
    data: { board_id: v7(), identifier: 'MAIN-1' },
  });

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('a cover', () => {
  it('is set, read with renditions, replaced and cleared, each change with one event', async () => {
    const by = aCaller();
    const card_id = aCard();
    const [wide, small] = [
      await uploaded(harness, by, whitePng(1500, 1000), 'wide.png'),
      await uploaded(harness, by, await picture('avif', 100, 50), 'small.avif'),
    ];
    expect(await bus.call(getCover, { ...by, card_id })).toEqual({ cover: null });
    const first = await bus.call(putCover, { ...by, card_id, file_id: wide.id });
    expect(first).toMatchObject({ file_id: wide.id, content_type: 'image/png', width: 1500, height: 1000 });
    expect(first.renditions.map(({ width, height }) => [width, height])).toEqual([
      [320, 213],
      [640, 427],
      [1280, 853],
    ]);
    expect(unsigned(await bus.call(putCover, { ...by, card_id, file_id: wide.id }))).toEqual(unsigned(first));
    expect(unsigned(await bus.call(getCover, { ...by, card_id }))).toEqual(unsigned({ cover: first }));

    const image = await fetch(first.renditions[0]?.url ?? '');
    expect(image.headers.get('content-type')).toBe('image/webp');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect(
      Buffer.from(await image.arrayBuffer())
        .subarray(8, 12)
        .toString(),
    ).toBe('WEBP');

    const second = await bus.call(putCover, { ...by, card_id, file_id: small.id });
    expect(second.renditions).toEqual([{ width: 100, height: 50, url: expect.any(String) }]);
    for (let time = 0; time < 2; time += 1) await bus.call(deleteCover, { ...by, card_id });
    expect(await bus.call(getCover, { ...by, card_id })).toEqual({ cover: null });
  });

  it('is not shown where its file is on a board that the caller does not see', async () => {
    const by = aCaller();
    const card_id = aCard();
    const board = v7();
    double.boards.add(board);
    const { id } = await uploaded(harness, by, await picture('png', 50, 50), 'x.png', board);
    await bus.call(putCover, { ...by, card_id, file_id: id });
    double.boards.delete(board);
    expect(await bus.call(getCover, { ...by, card_id })).toEqual({ cover: null });
  });
});

describe('a linked file', () => {
  it('is set, replaced and cleared, and reaches the card service before the answer', async () => {
    const by = aCaller();
    const subtask_id = aSubtask();
    const [one, two] = [await uploaded(harness, by, 'one', 'one.txt'), await uploaded(harness, by, 'two', 'two.txt')];
    const words = () =>
      double.projected
        .filter((event) => event.aggregate_id === subtask_id)
        .map(({ aggregate_version, data }) => [aggregate_version, data.file?.name ?? null]);
    expect(await bus.call(putLinkedFile, { ...by, subtask_id, file_id: one.id })).toEqual(one);
    expect(words()).toEqual([[1, 'one.txt']]);
    expect(await bus.call(putLinkedFile, { ...by, subtask_id, file_id: one.id })).toEqual(one);
    await bus.call(putLinkedFile, { ...by, subtask_id, file_id: two.id });
    for (let time = 0; time < 2; time += 1) await bus.call(deleteLinkedFile, { ...by, subtask_id });
    // A repetition sends the card service again what it may have missed, but appends no event.
    expect(words()).toEqual([
      [1, 'one.txt'],
      [1, 'one.txt'],
      [2, 'two.txt'],
      [3, null],
      [3, null],
    ]);
    expect((await events(by, linkedFileChanged.type)).map((event) => event.aggregate_version)).toEqual([1, 2, 3]);
  });
});

describe('a deletion', () => {
  it('of a file removes its covers and links', async () => {
    const by = aCaller();
    const [card_id, subtask_id] = [aCard(), aSubtask()];
    const { id } = await uploaded(harness, by, await picture('png', 50, 50));
    await bus.call(putCover, { ...by, card_id, file_id: id });
    await bus.call(putLinkedFile, { ...by, subtask_id, file_id: id });
    await bus.call(deleteFile, { ...by, command: aCommand(), file_id: id });
    expect(await bus.call(getCover, { ...by, card_id })).toEqual({ cover: null });
    const projected = double.projected.filter((event) => event.aggregate_id === subtask_id);
    expect(projected.map(({ data }) => data.file)).toEqual([expect.objectContaining({ id }), null]);
  });

  it('of a card refuses covers and links that are set on it at the same time', async () => {
    const by = aCaller();
    const card_id = aCard();
    const subtask_id = aSubtask(card_id);
    const { id: file_id } = await uploaded(harness, by, await picture('png', 50, 50));
    const puts: Promise<string>[] = [];
    for (let time = 0; time < 20; time += 1) {
      if (time === 10) emitDeleted(by, card_id);
      puts.push(code(bus.call(putCover, { ...by, card_id, file_id })));
      puts.push(code(bus.call(putLinkedFile, { ...by, subtask_id, file_id })));
      await puts.at(-1);
    }
    await eventually(async () => expect(await code(bus.call(putCover, { ...by, card_id, file_id }))).toBe('not_found'));
    expect(await code(bus.call(putLinkedFile, { ...by, subtask_id, file_id }))).toBe('not_found');
    const left = await db.read(async (tx) => [
      ...(await tx.selectFrom('covers').selectAll().where('card_id', '=', card_id).execute()),
      ...(await tx.selectFrom('linked_files').selectAll().where('card_id', '=', card_id).execute()),
    ]);
    expect(left).toEqual([]);
    expect(await bus.call(putCover, { ...by, card_id: aCard(), file_id })).toMatchObject({ file_id });
  });
});
