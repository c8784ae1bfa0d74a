import { describe, expect, it } from 'vitest';
import { card, fault, readCard, saidOf, type Told } from '../../test/histories.ts';
import { documented, inTime } from './answers.ts';

const read = readCard([0, 1], card('a', 1, 'PAY-1'));
const answered = (status: number, seen: Told['seen'] = {}): Told => ({ ...read, status, seen });
const unavailable = { code: 'unavailable', requestId: 'r' };

describe('every answer is a documented one, and the only failure is 503 with Retry-After', () => {
  it('passes 503 with Retry-After and the body of an error', () => {
    expect(saidOf(documented, [read, answered(503, { error: unavailable, retryAfter: 1 })])).toEqual([]);
  });

  it.each<[string, number, Told['seen']]>([
    ['500', 500, { error: { code: 'internal', requestId: 'r' } }],
    ['503 without Retry-After', 503, { error: unavailable }],
    ['503 with another code', 503, { error: { code: 'internal', requestId: 'r' }, retryAfter: 1 }],
    ['an error without a body', 404, {}],
    ['an error of another request', 404, { error: { code: 'not_found', requestId: 'other' } }],
    ['a page of a proxy', 200, { strange: '<html>' }],
    ['400, as nothing malformed was sent', 400, { error: { code: 'invalid_request', requestId: 'r' } }],
  ])('catches %s', (_, status, seen) => {
    expect(saidOf(documented, [answered(status, seen)])).toHaveLength(1);
  });
});

describe('every request is answered or refused within its deadline', () => {
  const lost: Told = { operation: 'getCard', path: '/cards/a', at: [0, 100] };

  it('passes what was lost at a gateway that was hit, then or shortly before', () => {
    expect(saidOf(inTime, [read, lost], [fault(50, 60, 'gateway-1')])).toEqual([]);
    expect(saidOf(inTime, [{ ...lost, at: [1_000, 1_100] }], [fault(50, 60, 'gateway-1')])).toEqual([]);
  });

  it('catches what was lost elsewhere, and what came late', () => {
    expect(saidOf(inTime, [lost], [fault(50, 60, 'gateway-2', 'card-1')])).toHaveLength(1);
    expect(saidOf(inTime, [{ ...read, at: [0, 11_000] }])).toHaveLength(1);
  });
});
