import {
  deleteBoard,
  deleteBoardMember,
  filterBoards,
  getBoard,
  getCard,
  getCardByIdentifier,
  listBoards,
  patchBoard,
  patchCard,
  putBoardMember,
  seeBoards,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;
const gone = { code: 'not_found' };

/** A board with a card, its maker, and two others of the workspace. */
const setUp = async () => {
  const owner = openWorkspace(bus);
  const { board, columns } = await owner.board('Doing');
  const [card] = await owner.cards(columns[0]?.id ?? '', 'Card');
  const others = [1, 2].map(() => openWorkspace(bus, owner.who.workspace_id)) as [Workspace, Workspace];
  const show = (visibility: 'private' | 'workspace', by: Workspace, version: number) =>
    bus.call(patchBoard, { ...by.order(), board_id: board.id, if_match: [version], body: { visibility } });
  const member = ({ who }: Workspace) => ({ board_id: board.id, member_user_id: who.user_id });
  const boardsOf = async ({ who }: Workspace) =>
    (await bus.call(listBoards, { ...who, archived: false, page: { limit: 10 } })).items.map(({ id }) => id);
  return { owner, others, board, card: card as NonNullable<typeof card>, show, member, boardsOf };
};

describe('a private board', () => {
  it('is gone, with its cards, for those who looked at it until then, and comes back', async () => {
    const { owner, others, board, card, show, boardsOf } = await setUp();
    const [other] = others;
    expect(await other.read(card.id)).toEqual(card);
    expect(await boardsOf(other)).toEqual([board.id]);

    expect((await show('private', owner, 1)).resource).toMatchObject({ visibility: 'private', version: 2 });
    await expect(bus.call(getBoard, { ...other.who, board_id: board.id })).rejects.toMatchObject(gone);
    await expect(other.read(card.id)).rejects.toMatchObject(gone);
    await expect(bus.call(getCardByIdentifier, { ...other.who, identifier: card.identifier })).rejects.toMatchObject(
      gone,
    );
    await expect(show('workspace', other, 2)).rejects.toMatchObject(gone);
    expect(await boardsOf(other)).toEqual([]);
    expect(await boardsOf(owner)).toEqual([board.id]);
    expect(await owner.read(card.id)).toEqual(card);
    const asked = [owner, other].map(({ who }) => bus.call(filterBoards, { ...who, board_ids: [board.id] }));
    expect(await Promise.all(asked)).toEqual([{ board_ids: [board.id] }, { board_ids: [] }]);

    await show('workspace', owner, 2);
    expect(await other.read(card.id)).toEqual(card);
  });

  it('answers readers of one query each as they may see', async () => {
    const { owner, others, card, show } = await setUp();
    await show('private', owner, 1);
    const { id: card_id, identifier } = card;
    const requests = [owner, ...others, owner].map(({ who }) => ({ ...who, card_id, identifier }));
    const seen = ['fulfilled', 'rejected', 'rejected', 'fulfilled'];
    const reads = await Promise.allSettled(requests.map((request) => bus.call(getCard, request)));
    expect(reads.map(({ status }) => status)).toEqual(seen);
    const lookUps = await Promise.allSettled(requests.map((request) => bus.call(getCardByIdentifier, request)));
    expect(lookUps.map(({ status }) => status)).toEqual(seen);
  });

  it('is seen, of many users and boards, by those who see it, after it was deleted too', async () => {
    const { owner, others, board, show, member } = await setUp();
    const [invited, stranger] = others;
    const open = (await owner.board('Open')).board;
    await show('private', owner, 1);
    await bus.call(putBoardMember, { ...owner.who, ...member(invited) });
    const foreign = (await openWorkspace(bus).board('Foreign')).board;
    const users = [owner, invited, stranger].map(({ who }) => who.user_id);
    const seen = async () => {
      const { workspace_id } = owner.who;
      const board_ids = [v7(), board.id, foreign.id, open.id];
      const { boards } = await bus.call(seeBoards, { workspace_id, user_ids: users, board_ids });
      return new Map(boards.map(({ board_id, user_ids }) => [board_id, user_ids.sort()]));
    };
    const expected = new Map([
      [board.id, [owner.who.user_id, invited.who.user_id].sort()],
      [open.id, [...users].sort()],
    ]);
    expect(await seen()).toEqual(expected);
    await bus.call(deleteBoard, { ...owner.order(), board_id: board.id, if_match: [2] });
    expect(await seen()).toEqual(expected);
  });

  it('takes new cards made at once by somebody who sees it and somebody who does not', async () => {
    const { owner, others, card, show } = await setUp();
    await show('private', owner, 1);
    const makers = [owner, others[0], owner, others[1]];
    const answers = await Promise.allSettled(makers.map((maker) => maker.cards(card.column_id, 'New')));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(answers[1]).toMatchObject({ reason: { code: 'not_found', message: 'Column not found' } });
  });

  it('refuses a replay to who no longer sees it', async () => {
    const { owner, others, card, show } = await setUp();
    const request = { ...others[0].order(), card_id: card.id, if_match: [1], body: { title: 'New' } };
    await bus.call(patchCard, request);
    await show('private', owner, 1);
    await expect(bus.call(patchCard, request)).rejects.toMatchObject({ ...gone, message: 'Card not found' });
  });

  it('that is deleted leaves its cards to those who saw it', async () => {
    const { owner, others, board, card, show } = await setUp();
    await show('private', owner, 1);
    await bus.call(deleteBoard, { ...owner.order(), board_id: board.id, if_match: [2] });
    expect(await owner.read(card.id)).toEqual(card);
    await expect(others[0].read(card.id)).rejects.toMatchObject(gone);
  });
});

describe('put-board-member and delete-board-member', () => {
  it('let a user see the board, and no longer; repeating them changes nothing', async () => {
    const { owner, others, card, board, show, member, boardsOf } = await setUp();
    const [invited, stranger] = others;
    await show('private', owner, 1);
    const put = () => bus.call(putBoardMember, { ...owner.who, ...member(invited) });
    const first = await put();
    expect(first).toMatchObject({ board_id: board.id, user_id: invited.who.user_id });
    expect(await put()).toEqual(first);
    expect(await invited.read(card.id)).toEqual(card);
    expect(await boardsOf(invited)).toEqual([board.id]);
    await expect(stranger.read(card.id)).rejects.toMatchObject(gone);

    const remove = () => bus.call(deleteBoardMember, { ...owner.who, ...member(invited) });
    expect(await remove()).toEqual({ deleted: true });
    expect(await remove()).toEqual({ deleted: true });
    await expect(invited.read(card.id)).rejects.toMatchObject(gone);
    expect(await bus.call(getBoard, { ...owner.who, board_id: board.id })).toMatchObject({ version: 2 });
  });

  it('make one membership of many puts at once', async () => {
    const { owner, others, member } = await setUp();
    const puts = Array.from({ length: 20 }, () => bus.call(putBoardMember, { ...owner.who, ...member(others[0]) }));
    expect(new Set((await Promise.all(puts)).map((one) => one.created_at)).size).toBe(1);
  });

  it('take effect at once: nobody reads after they were sent away', async () => {
    const { owner, others, card, show, member } = await setUp();
    const [guest] = others;
    await show('private', owner, 1);
    for (let round = 0; round < 20; round += 1) {
      await bus.call(putBoardMember, { ...owner.who, ...member(guest) });
      expect((await guest.read(card.id)).id).toBe(card.id);
      await bus.call(deleteBoardMember, { ...owner.who, ...member(guest) });
      await expect(guest.read(card.id)).rejects.toMatchObject(gone);
    }
  });
});
