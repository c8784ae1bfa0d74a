import { requireVersion } from '@cardinal/contracts';
import { describe, expect, test } from 'vitest';
import { archiveWorkstream, editWorkstream, newDefaultWorkstream, newWorkstream } from './rules.ts';

const id = '01930000-0000-7000-8000-000000000001';
const made = new Date('2026-01-02T03:04:05.678Z');
const later = new Date('2026-02-02T03:04:05.678Z');
const web = newWorkstream({ id, name: 'Web', prefix: 'WEB', now: made });

test('a new workstream is active, at version 1 and not the default', () => {
  expect(web).toEqual({
    id,
    type: 'workstream',
    version: 1,
    name: 'Web',
    prefix: 'WEB',
    description: null,
    is_default: false,
    archived_at: null,
    created_at: made.toISOString(),
    updated_at: made.toISOString(),
  });
});

test('MAIN is the default', () => {
  expect(newDefaultWorkstream(id, made)).toMatchObject({ name: 'Main', prefix: 'MAIN', is_default: true });
});

describe('edit', () => {
  test('raises the version by one and keeps what it does not name', () => {
    const described = editWorkstream(web, { description: 'The web' }, later);
    expect(described).toEqual({ ...web, version: 2, description: 'The web', updated_at: later.toISOString() });
    expect(editWorkstream(described, { name: 'Website' }, later)).toMatchObject({
      version: 3,
      name: 'Website',
      description: 'The web',
    });
  });

  test('null clears the description', () => {
    const described = editWorkstream(web, { description: 'The web' }, later);
    expect(editWorkstream(described, { description: null }, later).description).toBeNull();
  });

  test('that changes nothing answers the same state', () => {
    expect(editWorkstream(web, { name: 'Web', description: null }, later)).toBe(web);
  });

  test('is open to an archived workstream', () => {
    const archived = archiveWorkstream(web, made);
    expect(editWorkstream(archived, { name: 'Old web' }, later)).toMatchObject({ version: 3, name: 'Old web' });
  });
});

describe('archive', () => {
  test('sets the time once', () => {
    const archived = archiveWorkstream(web, later);
    expect(archived).toEqual({
      ...web,
      version: 2,
      archived_at: later.toISOString(),
      updated_at: later.toISOString(),
    });
    expect(archiveWorkstream(archived, new Date())).toBe(archived);
  });

  test('is refused for the default', () => {
    expect(() => archiveWorkstream(newDefaultWorkstream(id, made), later)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
  });
});

describe('If-Match', () => {
  test('passes where one of its members is the version', () => {
    expect(() => requireVersion(web, [7, 1])).not.toThrow();
  });

  test.each([{ accepted: [] }, { accepted: [2] }])('$accepted does not name version 1', ({ accepted }) => {
    expect(() => requireVersion(web, accepted)).toThrow(
      expect.objectContaining({ code: 'precondition_failed', details: { current_version: 1 } }),
    );
  });
});
