import { deleteBoardMember, getBoard, listBoardMembers, patchBoard, putBoardMember } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;
const forbidden = { code: 'insufficient_scope' };
const gone = { code: 'not_found', message: 'Board not found' };

/** A board of the workspace, its creator, and others of the workspace by what they are to it. */
const setUp = async () => {
  const creator = openWorkspace(bus);
  const { board } = await creator.board();
  const [owner, member, stranger] = [1, 2, 3].map(() => openWorkspace(bus, creator.who.workspace_id)) as [
    Workspace,
    Workspace,
    Workspace,
  ];
  const admin = { ...stranger, who: { ...stranger.who, is_admin: true } };
  const put = ({ who }: Workspace, of: Workspace, role?: 'member' | 'owner') =>
    bus.call(putBoardMember, { ...who, board_id: board.id, member_user_id: of.who.user_id, body: { role } });
  const remove = ({ who }: Workspace, of: Workspace) =>
    bus.call(deleteBoardMember, { ...who, board_id: board.id, member_user_id: of.who.user_id });
  const patch = (
    { who }: Workspace,
    version: number,
    body: { name?: string; visibility?: 'private' | 'workspace' },
  ) => {
    const command = { id: v7(), fingerprint: 'f' };
    return bus.call(patchBoard, { ...who, command, board_id: board.id, if_match: [version], body });
  };
  const list = async ({ who }: Workspace) =>
    (await bus.call(listBoardMembers, { ...who, board_id: board.id, page: { limit: 100 } })).items;
  await put(creator, owner, 'owner');
  await put(creator, member);
  return { ...{ board, creator, owner, member, stranger, admin }, ...{ put, remove, patch, list } };
};

describe('members and visibility', () => {
  it('are changed by the creator, an owner and an admin', async () => {
    const { creator, owner, admin, member, put, remove, patch } = await setUp();
    let version = 1;
    for (const manager of [creator, owner, admin]) {
      expect(await put(manager, member, 'owner')).toMatchObject({ role: 'owner' });
      expect(await put(manager, member)).toMatchObject({ role: 'owner' });
      expect(await put(manager, member, 'member')).toMatchObject({ role: 'member' });
      expect(await remove(manager, member)).toEqual({ deleted: true });
      for (const visibility of ['private', 'workspace'] as const) {
        expect((await patch(manager, version, { visibility })).resource).toMatchObject({ visibility });
        version += 1;
      }
    }
  });

  it('are changed by nobody else who sees the board, not for themselves either', async () => {
    const { member, stranger, put, remove, patch, list, board } = await setUp();
    const before = await list(stranger);
    for (const other of [member, stranger]) {
      for (const target of [member, stranger]) {
        await expect(put(other, target)).rejects.toMatchObject(forbidden);
        await expect(put(other, target, 'owner')).rejects.toMatchObject(forbidden);
        await expect(remove(other, target)).rejects.toMatchObject(forbidden);
      }
      await expect(patch(other, 1, { visibility: 'private', name: 'Mine' })).rejects.toMatchObject(forbidden);
      // Refused before a stale version is, as a comment of somebody else is.
      await expect(patch(other, 99, { visibility: 'private' })).rejects.toMatchObject(forbidden);
    }
    expect(await list(stranger)).toEqual(before);
    expect(await bus.call(getBoard, { ...stranger.who, board_id: board.id })).toEqual(board);
  });

  it('leave the rest of a board to everyone who sees it, and a visibility that stays as it is', async () => {
    const { member, patch } = await setUp();
    const edited = await patch(member, 1, { visibility: 'workspace', name: 'Renamed' });
    expect(edited.resource).toMatchObject({ name: 'Renamed', version: 2 });
  });

  it('stay when the board becomes private; who is no member no longer sees them', async () => {
    const { creator, owner, member, stranger, patch, put, list } = await setUp();
    const before = await list(stranger);
    await patch(creator, 1, { visibility: 'private' });
    for (const one of [creator, owner, member]) expect(await list(one)).toEqual(before);
    await expect(list(stranger)).rejects.toMatchObject(gone);
    await expect(put(stranger, stranger)).rejects.toMatchObject(gone);
  });

  it('leave the creator what they are, whatever row they have', async () => {
    const { creator, owner, put, remove, patch } = await setUp();
    await patch(creator, 1, { visibility: 'private' });
    await put(owner, creator, 'member');
    await put(creator, creator, 'owner');
    await remove(owner, creator);
    expect(await remove(creator, owner)).toEqual({ deleted: true });
  });
});

describe('an admin', () => {
  it('manages a private board that they do not see, and changes nothing else of it', async () => {
    const { board, creator, admin, member, patch, put, remove, list } = await setUp();
    await patch(creator, 1, { visibility: 'private' });
    expect(await list(admin)).toHaveLength(2);
    await remove(admin, member);
    await expect(bus.call(getBoard, { ...admin.who, board_id: board.id })).rejects.toMatchObject(gone);
    await expect(patch(admin, 2, { name: 'Mine' })).rejects.toMatchObject(gone);
    await expect(patch(admin, 2, { visibility: 'workspace', name: 'Mine' })).rejects.toMatchObject(gone);
    expect((await patch(admin, 2, { visibility: 'workspace' })).resource).toMatchObject({ version: 3 });
    await patch(creator, 3, { visibility: 'private' });
    await put(admin, admin);
    expect((await patch(admin, 4, { name: 'Seen' })).resource).toMatchObject({ name: 'Seen' });
  });

  it('of another workspace is nobody', async () => {
    const { board } = await setUp();
    const foreign = { ...openWorkspace(bus).who, is_admin: true, board_id: board.id };
    await expect(bus.call(putBoardMember, { ...foreign, member_user_id: v7() })).rejects.toMatchObject(gone);
    await expect(bus.call(listBoardMembers, { ...foreign, page: { limit: 1 } })).rejects.toMatchObject(gone);
  });
});

describe('list-board-members', () => {
  it('goes through all of them page by page, each with the role and since when', async () => {
    const { board, owner, stranger, put, creator, list } = await setUp();
    const invited = [1, 2, 3].map(() => openWorkspace(bus, creator.who.workspace_id));
    for (const one of invited) await put(creator, one);
    const all = await list(stranger);
    expect(all).toHaveLength(5);
    expect(all.find(({ user_id }) => user_id === owner.who.user_id)).toEqual({
      ...{ board_id: board.id, user_id: owner.who.user_id, role: 'owner', created_at: expect.any(String) },
    });
    const paged = [];
    let cursor: string | undefined;
    do {
      const page = { limit: 2, cursor };
      const next = await bus.call(listBoardMembers, { ...stranger.who, board_id: board.id, page });
      paged.push(...next.items);
      cursor = next.next_cursor ?? undefined;
    } while (cursor);
    expect(paged).toEqual(all);
  });
});
