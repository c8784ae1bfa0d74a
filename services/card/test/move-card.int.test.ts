import {
  archiveBoard,
  archiveCard,
  archiveColumn,
  type Card,
  type CardinalError,
  type Column,
  type MoveCardBody,
  moveCard,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;

/** A board with two columns; the first holds A, B, C and D from the top. */
const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('Doing', 'Done');
  const [doing, done] = columns as [Column, Column];
  const made = await workspace.cards(doing.id, 'D', 'C', 'B', 'A');
  const [d, c, b, a] = made as [Card, Card, Card, Card];
  const order = (column = doing) => workspace.titles(board.id, { column_id: column.id });
  return { workspace, board, doing, done, a, b, c, d, order };
};

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'done',
    (error: CardinalError) => error.code,
  );

const allPositions = async (workspace: Workspace, boardId: string) => {
  const { items } = await workspace.page(boardId);
  return items.map((card) => `${card.column_id} ${card.position}`);
};

describe('the place', () => {
  it.each<[string, (cards: Record<'a' | 'b' | 'd', string>) => MoveCardBody, string[]]>([
    ['start', () => ({ position: 'start' }), ['C', 'A', 'B', 'D']],
    ['end', () => ({ position: 'end' }), ['A', 'B', 'D', 'C']],
    ['before another', ({ b }) => ({ before_card_id: b }), ['A', 'C', 'B', 'D']],
    ['before the first', ({ a }) => ({ before_card_id: a }), ['C', 'A', 'B', 'D']],
    ['after another', ({ a }) => ({ after_card_id: a }), ['A', 'C', 'B', 'D']],
    ['after the last', ({ d }) => ({ after_card_id: d }), ['A', 'B', 'D', 'C']],
  ])('%s', async (_name, body, expected) => {
    const { workspace, a, b, c, d, order } = await setUp();
    const moved = await workspace.move(c.id, body({ a: a.id, b: b.id, d: d.id }));
    expect(await order()).toEqual(expected);
    expect(moved).toMatchObject({ version: 2, identifier: c.identifier });
    expect(await workspace.read(c.id)).toEqual(moved);
  });

  it('is the start of another column where only the column is named', async () => {
    const { workspace, c, b, done, order } = await setUp();
    await workspace.move(c.id, { column_id: done.id });
    await workspace.move(b.id, { column_id: done.id });
    expect(await order()).toEqual(['A', 'D']);
    expect(await order(done)).toEqual(['B', 'C']);
  });

  it('is in the column of the card that is named', async () => {
    const { workspace, a, b, c, done, order } = await setUp();
    await workspace.move(c.id, { column_id: done.id });
    await workspace.move(a.id, { after_card_id: c.id });
    await workspace.move(b.id, { column_id: done.id, before_card_id: a.id });
    expect(await order(done)).toEqual(['C', 'B', 'A']);
  });

  it('is a number as it is, or right above the card that holds it', async () => {
    const { workspace, a, c, order } = await setUp();
    expect((await workspace.move(a.id, { position: 12.25 })).position).toBe(12.25);
    expect((await workspace.move(c.id, { position: 12.25 })).position).toBeLessThan(12.25);
    expect(await order()).toEqual(['B', 'D', 'C', 'A']);
  });

  it('stays where the card stands already, and changes nothing', async () => {
    const { workspace, a, b, c, d, doing } = await setUp();
    const still: [Card, MoveCardBody][] = [
      [a, { position: 'start' }],
      [a, { column_id: doing.id }],
      [a, { before_card_id: b.id }],
      [b, { before_card_id: c.id }],
      [b, { after_card_id: a.id }],
      [b, { position: b.position }],
      [b, { position: c.position }],
      [d, { position: 'end' }],
      [d, { after_card_id: c.id }],
    ];
    for (const [card, body] of still) expect(await workspace.move(card.id, body), JSON.stringify(body)).toEqual(card);
  });

  it('takes the largest, the smallest and the tiniest numbers and finds room around them', async () => {
    const { workspace, board, a, b, c, d, doing, order } = await setUp();
    const largest = Number.MAX_VALUE;
    const tiniest = Number.MIN_VALUE;
    expect((await workspace.move(a.id, { position: -largest })).position).toBe(-largest);
    expect((await workspace.move(d.id, { position: largest })).position).toBe(largest);
    expect((await workspace.move(b.id, { position: tiniest })).position).toBe(tiniest);
    expect((await workspace.move(c.id, { position: 2 * tiniest })).position).toBe(2 * tiniest);

    await workspace.move(d.id, { after_card_id: b.id });
    expect(await order()).toEqual(['A', 'B', 'D', 'C']);
    await workspace.move(a.id, { position: -largest });
    await workspace.move(c.id, { position: -largest });
    expect(await order()).toEqual(['C', 'A', 'B', 'D']);
    await workspace.move(c.id, { position: -1e308 });
    await workspace.move(a.id, { position: -largest });
    const [top] = await workspace.cards(doing.id, 'Top');
    expect((await order())[0]).toBe('Top');
    await workspace.move(d.id, { position: 1e308 });
    await workspace.move(b.id, { position: 'end' });
    expect((await order()).at(-1)).toBe('B');

    const positions = (await workspace.page(board.id)).items.map((card) => card.position);
    expect(new Set(positions).size).toBe(5);
    expect(positions.every(Number.isFinite)).toBe(true);
    expect(top?.version).toBe(1);
  });
});

describe('the refusals', () => {
  it('names what is not on a board that the caller sees, and cards of another board without their column', async () => {
    const { workspace, a, b, doing, done } = await setUp();
    const far = await workspace.board('Far');
    const farColumn = far.columns[0]?.id ?? '';
    const [farCard] = await workspace.cards(farColumn, 'Far');
    const foreign = await setUp();
    const bodies: MoveCardBody[] = [
      { column_id: v7() },
      { column_id: foreign.doing.id },
      { before_card_id: v7() },
      { after_card_id: farCard?.id ?? '' },
      { column_id: done.id, after_card_id: farCard?.id ?? '' },
      { before_card_id: foreign.a.id },
      { before_card_id: a.id },
      { column_id: doing.id, after_card_id: a.id },
      { column_id: done.id, after_card_id: b.id },
    ];
    for (const body of bodies) {
      expect(await codeOf(workspace.move(a.id, body)), JSON.stringify(body)).toBe('validation_error');
    }
    expect(await workspace.read(a.id)).toEqual(a);
  });

  it('are conflicts with archived cards and columns, not with an archived board', async () => {
    const { workspace, board, a, b, done } = await setUp();
    await bus.call(archiveCard, { ...workspace.order(), card_id: a.id, if_match: [1] });
    expect(await codeOf(workspace.move(a.id, { position: 'end' }))).toBe('conflict');
    await bus.call(archiveColumn, { ...workspace.order(), column_id: done.id, if_match: [1] });
    expect(await codeOf(workspace.move(b.id, { column_id: done.id }))).toBe('conflict');
    await bus.call(archiveBoard, { ...workspace.order(), board_id: board.id, if_match: [1] });
    expect(await codeOf(workspace.move(b.id, { column_id: done.id }))).toBe('conflict');
    // What is on an archived board stays editable.
    expect((await workspace.move(b.id, { position: 'end' })).version).toBe(2);
  });

  it('come in order: 404, replay, 412, then the rules of the move', async () => {
    const { workspace, a, b } = await setUp();
    const request = { ...workspace.order(), card_id: a.id, if_match: [1], body: { after_card_id: b.id } };
    const stranger = openWorkspace(bus);
    const broken = { before_card_id: a.id };
    expect(await codeOf(bus.call(moveCard, { ...request, ...stranger.order(), if_match: [9] }))).toBe('not_found');
    const stale = { ...request, ...workspace.order(), if_match: [9], body: broken };
    expect(await codeOf(bus.call(moveCard, stale))).toBe('precondition_failed');

    const first = await bus.call(moveCard, request);
    await bus.call(archiveCard, { ...workspace.order(), card_id: a.id, if_match: [2] });
    expect(await bus.call(moveCard, request)).toEqual({ resource: first.resource, replayed: true });
  });
});

describe('many moves', () => {
  it("into a full gap keep the order, and leave everybody else's version", async () => {
    const { workspace, a, b, c, d, order } = await setUp();
    await workspace.move(b.id, { position: 1 });
    const last = await workspace.move(c.id, { position: 1 + Number.EPSILON });
    await workspace.move(d.id, { after_card_id: b.id });
    expect(await order()).toEqual(['A', 'B', 'D', 'C']);
    const [top, bottom] = [await workspace.read(a.id), await workspace.read(c.id)];
    expect(bottom, 'a rebalancing gave it another place and no other version').toEqual({
      ...last,
      position: bottom.position,
    });
    expect(bottom.position).not.toBe(last.position);
    expect(top).toEqual({ ...a, position: top.position });
  });

  it('by many clients at once keep positions unique and never fail', async () => {
    const { workspace, board, a, doing, done } = await setUp();
    await workspace.cards(doing.id, ...Array.from({ length: 8 }, (_, index) => `Card ${index}`));
    const { items } = await workspace.page(board.id);
    const places = (index: number): MoveCardBody[] => [
      { position: 'start' },
      { column_id: done.id, position: 7 },
      { column_id: doing.id, position: 'end' },
      { before_card_id: a.id },
      { column_id: done.id, position: 1e308 },
      { after_card_id: items[(index + 7) % items.length]?.id ?? '' },
      { column_id: doing.id, position: Number.MIN_VALUE },
    ];
    const client = async (card: Card, index: number) => {
      const outcomes: string[] = [];
      for (const body of places(index)) outcomes.push(await codeOf(workspace.move(card.id, body)));
      return outcomes;
    };
    const outcomes = (await Promise.all(items.map(client))).flat();
    // A card cannot go before itself.
    expect(outcomes.filter((code) => code !== 'done')).toEqual(['validation_error']);
    const positions = await allPositions(workspace, board.id);
    expect(positions).toHaveLength(12);
    expect(new Set(positions).size).toBe(12);
  });

  it('to one place that is full make room while others edit and create there', async () => {
    const { workspace, board, a, b, doing } = await setUp();
    const made = await workspace.cards(doing.id, ...Array.from({ length: 8 }, (_, index) => `Card ${index}`));
    const top = await workspace.move(a.id, { position: 1 });
    await workspace.move(b.id, { position: 1 + Number.EPSILON });
    const movers = made.map(async (card) => {
      for (let count = 0; count < 3; count += 1) await workspace.move(card.id, { after_card_id: a.id });
      await workspace.cards(doing.id, `Beside ${card.title}`);
      await workspace.move(card.id, { before_card_id: b.id });
    });
    await Promise.all(movers);
    const positions = await allPositions(workspace, board.id);
    expect(positions).toHaveLength(20);
    expect(new Set(positions).size).toBe(20);
    const now = await workspace.read(a.id);
    expect(now.position, 'a rebalancing took place').not.toBe(top.position);
    expect(now.version).toBe(top.version);
  });

  it('that are one command move once and all get its answer', async () => {
    const { workspace, a } = await setUp();
    const request = { ...workspace.order(), card_id: a.id, if_match: [1], body: { position: 'end' as const } };
    const answers = await Promise.all(Array.from({ length: 20 }, () => bus.call(moveCard, request)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.resource))).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
    expect((await workspace.read(a.id)).version).toBe(2);
  });
});
