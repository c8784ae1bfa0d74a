import { describe, expect, it } from 'vitest';
import { deadLetter } from '../src/index.ts';
import { event, migratedDatabase, select } from './fixtures.ts';

describe('deadLetter', () => {
  it('keeps whatever arrived, with the error', async () => {
    const { db } = await migratedDatabase();
    const one = event();
    await deadLetter(db, one, new Error('cannot apply'));
    await deadLetter(db, 'not an event: \0 \ud800', 'bytes \0 \ud800');
    await deadLetter(db, undefined, undefined);
    const rows = await select<{ event: unknown; error: string }>(
      db,
      'select event, error from dead_letters order by failed_at, event::text desc',
    );
    expect(rows).toContainEqual({ event: one, error: expect.stringContaining('cannot apply') });
    expect(rows).toContainEqual({ event: 'not an event: \0 \ud800', error: 'bytes  \ufffd' });
    expect(rows).toContainEqual({ event: null, error: 'undefined' });
  });
});
