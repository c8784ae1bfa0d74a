import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AllocationRequest, type Answered, type Counter, planAllocations } from './allocation.ts';
import { newWorkstream } from './workstream.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

const counter = (workspace_id: string, prefix: string, last_number: number, archived = false): Counter => ({
  workspace_id,
  last_number,
  workstream: {
    ...newWorkstream({ id: `id of ${prefix}`, name: prefix, prefix, now }),
    archived_at: archived ? now.toISOString() : null,
  },
});

const request = (operation_id: string, candidates: string[], workspace_id = 'w1'): AllocationRequest => ({
  workspace_id,
  user_id: 'user',
  operation_id,
  card_id: `card of ${operation_id}`,
  candidates: candidates.map((prefix) => `id of ${prefix}`),
});

const web = counter('w1', 'WEB', 7);
const main = counter('w1', 'MAIN', 0);
const old = counter('w1', 'OLD', 3, true);

test('numbers go up in order of arrival, counted for each workstream', () => {
  const plan = planAllocations([request('a', ['WEB']), request('b', ['MAIN']), request('c', ['WEB'])], [main, web], []);
  expect(plan.answers).toEqual([
    { result: 'allocated', number: 8, workstream: web.workstream },
    { result: 'allocated', number: 1, workstream: main.workstream },
    { result: 'allocated', number: 9, workstream: web.workstream },
  ]);
  expect(plan.counters).toEqual([
    { ...main, last_number: 1 },
    { ...web, last_number: 9 },
  ]);
  expect(plan.numbers[0]).toEqual({
    workspace_id: 'w1',
    prefix: 'WEB',
    number: 8,
    workstream_id: 'id of WEB',
    card_id: 'card of a',
    operation_id: 'a',
    assigned_by: 'user',
  });
});

describe('an archived workstream', () => {
  test('gives way to the second candidate', () => {
    const plan = planAllocations([request('a', ['OLD', 'MAIN'])], [main, old], []);
    expect(plan.answers).toEqual([{ result: 'allocated', number: 1, workstream: main.workstream }]);
    expect(plan.counters).toEqual([{ ...main, last_number: 1 }]);
  });

  test('refuses where it is the only candidate', () => {
    const plan = planAllocations([request('a', ['OLD'])], [old], []);
    expect(plan.answers).toEqual([{ result: 'refused', reason: 'archived' }]);
    expect(plan.refusals).toEqual([{ workspace_id: 'w1', operation_id: 'a', reason: 'archived' }]);
    expect([plan.numbers, plan.counters]).toEqual([[], []]);
  });
});

test('a workstream of another workspace does not exist', () => {
  const plan = planAllocations([request('a', ['WEB'], 'w2'), request('b', ['WEB'])], [web], []);
  expect(plan.answers[0]).toEqual({ result: 'refused', reason: 'not_found' });
  expect(plan.answers[1]).toMatchObject({ result: 'allocated', number: 8 });
});

describe('an operation that was answered before', () => {
  test('gets the same number, also from a workstream that is archived now', () => {
    const answered: Answered[] = [{ workspace_id: 'w1', operation_id: 'a', number: 2, workstream_id: 'id of OLD' }];
    const plan = planAllocations([request('a', ['OLD'])], [old], answered);
    expect(plan).toEqual({
      answers: [{ result: 'allocated', number: 2, workstream: old.workstream }],
      numbers: [],
      refusals: [],
      counters: [],
    });
  });

  test('stays refused', () => {
    const answered: Answered[] = [{ workspace_id: 'w1', operation_id: 'a', reason: 'archived' }];
    const plan = planAllocations([request('a', ['WEB'])], [web], answered);
    expect(plan.answers).toEqual([{ result: 'refused', reason: 'archived' }]);
    expect([plan.numbers, plan.refusals]).toEqual([[], []]);
  });

  test('may not name another workstream than before', () => {
    const answered: Answered[] = [{ workspace_id: 'w1', operation_id: 'a', number: 2, workstream_id: 'id of OLD' }];
    const plan = planAllocations([request('a', ['WEB'])], [web], answered);
    expect(plan.answers).toEqual([expect.objectContaining({ code: 'invalid_request' })]);
    expect(plan.numbers).toEqual([]);
  });
});

test('over any batches with repeats, each operation keeps one answer and each workstream counts without a gap', () => {
  const batches = fc.array(
    fc.array(
      fc.record({
        operation: fc.integer({ min: 0, max: 12 }),
        workspace: fc.constantFrom('w1', 'w2'),
      }),
      { maxLength: 20 },
    ),
    { maxLength: 6 },
  );
  // What an operation asks for never changes, so it follows from the operation.
  const wishes = [['WEB'], ['MAIN'], ['OLD', 'MAIN'], ['OLD'], ['NONE'], ['NONE', 'MAIN']];
  fc.assert(
    fc.property(batches, (arrivals) => {
      let counters = ['w1', 'w2'].flatMap((workspace) => [
        counter(workspace, 'WEB', 7),
        counter(workspace, 'MAIN', 0),
        counter(workspace, 'OLD', 3, true),
      ]);
      const stored: Answered[] = [];
      const given = new Map<string, unknown>();
      for (const arrival of arrivals) {
        const requests = arrival.map(({ operation, workspace }) =>
          request(`${operation}`, wishes[operation % wishes.length] ?? [], workspace),
        );
        const plan = planAllocations(requests, counters, stored);
        stored.push(...plan.numbers, ...plan.refusals);
        counters = counters.map((before) => plan.counters.find((after) => isSame(before, after)) ?? before);
        requests.forEach(({ workspace_id, operation_id }, index) => {
          const key = `${workspace_id}/${operation_id}`;
          const answer = plan.answers[index];
          expect(answer).toEqual(given.get(key) ?? answer);
          given.set(key, answer);
        });
      }
      for (const { workspace_id, workstream, last_number } of counters) {
        const numbers = stored.flatMap((entry) =>
          'number' in entry && entry.workspace_id === workspace_id && entry.workstream_id === workstream.id
            ? [entry.number]
            : [],
        );
        const before = { WEB: 7, MAIN: 0, OLD: 3 }[workstream.prefix] ?? 0;
        expect(numbers).toEqual(Array.from({ length: last_number - before }, (_, index) => before + index + 1));
        if (workstream.archived_at !== null) expect(numbers).toEqual([]);
      }
    }),
  );
});

const isSame = (a: Counter, b: Counter) => a.workspace_id === b.workspace_id && a.workstream.id === b.workstream.id;
