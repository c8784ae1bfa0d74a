import { describe, expect, it } from 'vitest';
import { showsOf } from './shows.ts';

const answer = (request: string, status: number, { text = '', isReplay = false } = {}) => ({
  request,
  status,
  text,
  isReplay,
});

/** What a row of answers shows, one after the other. */
const shown = (...answers: ReturnType<typeof answer>[]) => {
  const firsts = new Map();
  return answers.map((seen) => showsOf(seen, firsts));
};

describe('an answer shows', () => {
  it('its status when it is the first to its request', () => {
    expect(shown(answer('a', 201), answer('b', 404), answer('b', 404))).toEqual([['201'], ['404'], ['404']]);
  });

  it('a repetition where the same request succeeded before and is answered alike or refused', () => {
    expect(shown(answer('a', 200, { text: 'x' }), answer('a', 200, { text: 'x' }))).toEqual([
      ['200'],
      ['repeated 200'],
    ]);
    expect(shown(answer('a', 204), answer('a', 404))).toEqual([['204'], ['repeated 404']]);
  });

  it('nothing where the same request succeeds otherwise, or what failed succeeds', () => {
    expect(shown(answer('a', 200, { text: 'x' }), answer('a', 200, { text: 'y' }))).toEqual([['200'], []]);
    expect(shown(answer('a', 409), answer('a', 200))).toEqual([['409'], ['200']]);
  });

  it('a replay only where the service says so', () => {
    expect(shown(answer('a', 201, { isReplay: true }))).toEqual([['replayed 201']]);
  });

  it.each([405, 429, 500, 503])('nothing of its endpoint by %i', (status) => {
    expect(shown(answer('a', status))).toEqual([[]]);
  });
});
