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
      const id = commandIdOf(owner, 'createBoard', `key-${n}`);
      expect(validate(id) && version(id)).toBe(8);
      expect(uuid.parse(id)).toBe(id);
    }
  });

  it('stays what it is, over releases', () => {
    expect(commandIdOf(owner, 'createBoard', 'key')).toBe('7fb00d89-8c64-80d6-b944-b582eebff011');
    // As the release before keys counted by operation.
    for (const operation of ['createCard', 'createWorkstream', 'createFile']) {
      expect(commandIdOf(owner, operation, 'key')).toBe('364a4bd4-c2c1-8dba-ae57-93b9bd337fb0');
    }
  });

  it('differs by key, operation, user and workspace', () => {
    const ids = [
      commandIdOf(owner, 'createBoard', 'key'),
      commandIdOf(owner, 'createBoard', 'KEY'),
      commandIdOf(owner, 'archiveBoard', 'key'),
      commandIdOf(owner, 'createCard', 'key'),
      commandIdOf({ ...owner, user_id: owner.workspace_id }, 'createBoard', 'key'),
      commandIdOf({ ...owner, workspace_id: owner.user_id }, 'createBoard', 'key'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
