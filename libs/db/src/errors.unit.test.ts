import { CardinalError } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { isBroken, refine } from './errors.ts';

const coded = (code: string) => Object.assign(new Error('words of the server'), { code });
const unavailable = expect.objectContaining({ code: 'unavailable' });

describe('refine', () => {
  it.each([
    '53100',
    '53200',
    '58030',
    '57P01',
    '57P02',
    '57P03',
    '57014',
    '55P03',
    '40P01',
    '40001',
    '08006',
    '53300',
    '25P03',
    '28P01',
    '3D000',
    'ECONNREFUSED',
    'EPIPE',
  ])('makes %s unavailable and keeps the cause', (code) => {
    const cause = coded(code);
    expect(refine(cause)).toEqual(unavailable);
    expect(refine(cause)).toMatchObject({ cause });
  });

  it.each([
    ['ECONNREFUSED', 'The database is out of reach'],
    ['40003', 'The database is out of reach'],
    ['28000', 'The database refuses the connection'],
    ['57014', 'The database did not answer in time'],
    ['40P01', 'Another write held the same rows'],
    ['53300', 'The database has no room, memory or connection left, or its disk fails'],
  ])('of %s the message says: %s', (code, message) => {
    expect(refine(coded(code))).toMatchObject({ message });
  });

  it.each(['23505', '22P02', '42P01', 'ERR_INVALID_ARG_TYPE'])('leaves %s as it is', (code) => {
    const error = coded(code);
    expect(refine(error)).toBe(error);
  });

  it('leaves a CardinalError and values that are no errors as they are', () => {
    const error = new CardinalError('conflict', 'Connection terminated');
    expect(refine(error)).toBe(error);
    expect(refine('words')).toBe('words');
  });
});

describe('isBroken', () => {
  it.each([coded('57P01'), coded('ECONNRESET'), new Error('Connection terminated unexpectedly')])(
    'is true of %s',
    (error) => {
      expect(isBroken(error)).toBe(true);
    },
  );

  it.each([coded('ECONNREFUSED'), coded('57014'), new Error('timeout exceeded when trying to connect')])(
    'is false of %s',
    (error) => {
      expect(isBroken(error)).toBe(false);
    },
  );
});
