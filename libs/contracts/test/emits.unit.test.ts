import { expect, it } from 'vitest';
import { declaredOperations, eventTypes } from '../src/index.ts';

const writing = declaredOperations.filter(({ http }) => !http.isRead);

it.each(writing.map(({ http }) => http))('$id declares what it emits, or that it emits nothing', ({ emits }) => {
  expect(emits).toBeDefined();
});

it('every event is emitted by an operation, except those of rollbacks and of arriving files', () => {
  const emitted = new Set(writing.flatMap(({ http }) => http.emits ?? []));
  expect(eventTypes.filter((type) => !emitted.has(type))).toEqual(['feed.reset', 'file.updated']);
});
