import { expect, it } from 'vitest';
import { declaredOperations, eventTypes } from '../src/index.ts';

const writing = declaredOperations.filter(({ http }) => !http.isRead);

it.each(writing.map(({ http }) => http))('$id declares what it emits, or that it emits nothing', ({ emits }) => {
  expect(emits).toBeDefined();
});

it('every event comes of an operation, but those of rollbacks and of files that arrive', () => {
  const emitted = new Set(writing.flatMap(({ http }) => http.emits ?? []));
  expect(eventTypes.filter((type) => !emitted.has(type))).toEqual(['feed.reset', 'file.updated']);
});
