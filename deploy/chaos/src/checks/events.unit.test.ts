import { describe, expect, it } from 'vitest';
import { card, created, deletedCard, fault, saidOf, wrote } from '../../test/histories.ts';
import type { Following, ToldEvent } from '../history.ts';
import { everyChangeIsTold, inOrder, nobodyMisses, orderedForEachCard } from './events.ts';

const told = (seq: number, type: string, subject: string, version: number | null, more: Partial<ToldEvent> = {}) => {
  const event: ToldEvent = { seq, id: `e${seq}`, type, subject, version, card: subject, board: 'b', at: seq };
  return { ...event, ...more };
};
const follow = (by: Following['by'], ...events: ToldEvent[]): Following => ({ by, workspace: 'w', after: 0, events });
const reset = (seq: number) => told(seq, 'feed.reset', 'feed', null, { card: null, board: null });

describe('the log has every acknowledged change once', () => {
  const made = created([0, 1], card('a', 1, 'PAY-1'));
  const edited = wrote('patchCard', [2, 3], 1, card('a', 2, 'PAY-1'));
  const deleted = deletedCard([4, 5], 'a', 204);
  const all = [told(1, 'card.created', 'a', 1), told(2, 'card.updated', 'a', 2), told(3, 'card.deleted', 'a', 3)];

  it('passes a complete log, also without events of unacknowledged writes', () => {
    expect(saidOf(everyChangeIsTold, [made, edited, deleted], [], [follow('log', ...all)])).toEqual([]);
    expect(
      saidOf(
        everyChangeIsTold,
        [made, { ...edited, status: undefined } as never],
        [],
        [follow('log', ...all.slice(0, 1))],
      ),
    ).toEqual([]);
    const beside = { ...fault(1, 3), kind: 'two-versions' };
    expect(saidOf(everyChangeIsTold, [made, edited], [beside], [follow('log')])).toEqual([]);
    const nothingNew = wrote('patchCard', [2, 3], 1, card('a', 1, 'PAY-1'));
    expect(saidOf(everyChangeIsTold, [made, nothingNew], [], [follow('log', ...all.slice(0, 1))])).toEqual([]);
  });

  it('catches a missing event, a repeated one, and a deletion without an event', () => {
    const said = (...events: ToldEvent[]) =>
      saidOf(everyChangeIsTold, [made, edited, deleted], [], [follow('log', ...events)]);
    expect(said(...all.slice(1))).toEqual(['createCard made version 1 of a, logged 0 times']);
    expect(said(...all, told(4, 'card.updated', 'a', 2))).toEqual(['patchCard made version 2 of a, logged 2 times']);
    expect(said(...all.slice(0, 2))).toEqual(['deleteCard deleted a, and the log lacks it']);
  });
});

describe('the log is numbered without a gap, in the order of versions', () => {
  const said = (...events: ToldEvent[]) => saidOf(inOrder, [], [], [follow('log', ...events)]);
  const first = told(1, 'card.created', 'a', 1);

  it('passes rising versions, states set and cleared in turn, and a gap and an earlier state after a rollback', () => {
    const set = told(3, 'dependency.added', 'x', null, { card: 'a' });
    const cleared = told(4, 'dependency.removed', 'x', null, { card: 'a' });
    const covers = ['cover.set', 'cover.set', 'cover.cleared', 'cover.set', 'cover.cleared'];
    expect(said(...covers.map((type, at) => told(at + 1, type, 'a', null)))).toEqual([]);
    expect(said(first, told(2, 'card.updated', 'a', 4), set, cleared, { ...set, seq: 5, id: 'e5' })).toEqual([]);
    expect(said(first, told(2, 'card.updated', 'a', 2), reset(9), told(10, 'card.updated', 'a', 2))).toEqual([]);
  });

  it('catches a gap, a wrong order, a repeated event, a repeated state, and an event after a deletion', () => {
    expect(said(first, told(3, 'card.updated', 'a', 2))).toEqual(['event 3 of workspace w follows 1']);
    expect(said(first, told(2, 'card.updated', 'a', 1))[0]).toContain('is version 1 after version 1 in 1');
    expect(said(first, told(2, 'card.updated', 'a', 2, { id: 'e1' }))).toEqual([
      'event e1 is twice in the log of workspace w',
    ]);
    expect(said(told(1, 'card.deleted', 'a', 3), told(2, 'card.updated', 'a', 4))[0]).toContain(
      'comes after its deletion',
    );
    const set = told(1, 'dependency.added', 'x', null, { card: 'a' });
    expect(said(set, { ...set, seq: 2, id: 'e2' })[0]).toContain('repeats the present state');
    const cleared = told(1, 'cover.cleared', 'a', null);
    expect(said(cleared, { ...cleared, seq: 2, id: 'e2' })[0]).toContain('repeats the present state');
  });
});

describe('a follower misses nothing, and a number names one event', () => {
  const events = [told(1, 'card.created', 'a', 1), told(2, 'card.updated', 'a', 2)];
  const [first, second] = events as [ToldEvent, ToldEvent];
  const log = follow('log', ...events);

  it('passes a complete stream, a webhook with a repeated event, and a stranger with a part', () => {
    const stranger: Following = { ...follow('stream', second), isStranger: true };
    const webhook = follow('webhook', second, first, second);
    expect(saidOf(nobodyMisses, [], [], [log, follow('stream', ...events), webhook, stranger])).toEqual([]);
  });

  it('passes an event that was received and then lost in a rollback, but not without a rollback', () => {
    const lost = told(3, 'card.updated', 'a', 3);
    const follows = [log, follow('stream', ...events, lost)];
    expect(saidOf(nobodyMisses, [], [], follows)).toEqual([
      'the stream of workspace w received 3, which is not in the log',
    ]);
    expect(saidOf(nobodyMisses, [], [{ ...fault(0, 1), loses: true }], follows)).toEqual([]);
  });

  it('catches an event that never came, one that came again, and a number that names two', () => {
    expect(saidOf(nobodyMisses, [], [], [log, follow('webhook', second)])).toEqual([
      'the webhook of workspace w never received 1, card.created',
    ]);
    expect(saidOf(nobodyMisses, [], [], [log, follow('stream', first, second, second)])).toEqual([
      'the stream of workspace w received 2 after 2',
    ]);
    const other = told(2, 'card.updated', 'a', 2, { id: 'other' });
    expect(
      saidOf(nobodyMisses, [], [{ ...fault(0, 1), loses: true }], [log, follow('stream', first, other)]),
    ).toContain('the stream of workspace w received other as 2, which is e2');
  });
});

describe('a webhook gets the events of each card in order', () => {
  it('passes cards that overtake each other, and repeated events; catches an earlier event that comes later', () => {
    const [one, two, other] = [
      told(1, 'card.created', 'a', 1),
      told(2, 'card.updated', 'a', 2),
      told(3, 'card.created', 'x', 1),
    ];
    expect(saidOf(orderedForEachCard, [], [], [follow('webhook', other, one, two, one)])).toEqual([]);
    expect(saidOf(orderedForEachCard, [], [], [follow('webhook', two, one)])).toHaveLength(1);
    expect(saidOf(orderedForEachCard, [], [], [follow('webhook', two, one, two)])).toEqual([]);
  });
});
