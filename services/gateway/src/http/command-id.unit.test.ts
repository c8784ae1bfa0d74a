import { uuid } from '@cardinal/contracts';
import { validate, version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { commandIdOf } from './command-id.ts';

const owner = {
  workspace_id: '00000000-0000-7000-8000-000000000001',
  user_id: '00000000-0000-7000-8000-000000000002',
};

describe('commandIdOf', () => {
  it('is a UUID of version 8, whatever the key', () => {
    for (let n = 0; n < 200; n += 1) {
      const id = commandIdOf(owner, `key-${n}`);
      expect(validate(id) && version(id)).toBe(8);
      expect(uuid.parse(id)).toBe(id);
    }
  });

  it('stays what it is, over releases', () => {
    expect(commandIdOf(owner, 'key')).toBe('364a4bd4-c2c1-8dba-ae57-93b9bd337fb0');
  });

  it('differs by key, user and workspace', () => {
    const ids = [
      commandIdOf(owner, 'key'),
      commandIdOf(owner, 'KEY'),
      commandIdOf({ ...owner, user_id: owner.workspace_id }, 'key'),
      commandIdOf({ ...owner, workspace_id: owner.user_id }, 'key'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
