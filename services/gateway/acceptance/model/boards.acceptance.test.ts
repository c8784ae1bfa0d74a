import { sharedStack } from '@cardinal/testkit';
import fc from 'fast-check';
import { it } from 'vitest';
import { clientOf } from '../workspace.ts';
import { type BoardEdit, BoardModel, users } from './board-model.ts';
import * as board from './board-steps.ts';
import { Known } from './known.ts';
import { ifMatches, type Steps, take, tellStories } from './story.ts';

const stack = await sharedStack();

/** Four users of one workspace, a workstream, and a board of Ann's with a column. */
const start = async (): Promise<{ model: BoardModel; real: board.BoardWorld }> => {
  const known = new Known();
  const root = await clientOf(stack);
  known.call('root', root.userId);
  const join = async (name: string) => {
    const client = await clientOf(stack, { workspace: root.workspaceId, scope: 'kanban:read kanban:write' });
    known.call(name, client.userId);
    return client;
  };
  known.call('PAY', (await root.createWorkstream('PAY')).id);
  const real = { root, ann: await join('ann'), bob: await join('bob'), eve: await join('eve'), known };
  const model = new BoardModel();
  for (const step of [board.createBoard('ann', 'Board1', 'workspace'), board.createColumn('ann', 'Board1', 'todo')]) {
    await take(step, model, real);
  }
  return { model, real };
};

const boards = ['Board1', 'Board2'];
const columns = ['todo', 'doing', 'done'];
const cards = ['A', 'B', 'C', 'D'];

const by = fc.constantFrom(...users, 'ann' as const);
const someBoard = fc.constantFrom(...boards);
const someColumn = fc.constantFrom(...columns);
const someCard = fc.constantFrom(...cards);
const visibility = fc.constantFrom('workspace' as const, 'private' as const);
const edits = fc.constantFrom<BoardEdit[]>(
  ...[{ visibility: 'private' as const }, { visibility: 'workspace' as const }, { default: 'PAY' }, { default: null }],
  { visibility: 'private', default: 'PAY' },
);
const role = fc.constantFrom('member' as const, 'owner' as const, null);
const place = fc.constantFrom('start', 'end', ...columns);
const steps: Steps<BoardModel, board.BoardWorld>[] = [
  fc.tuple(by, someBoard, visibility).map((all) => board.createBoard(...all)),
  fc.tuple(by, someBoard, someColumn).map((all) => board.createColumn(...all)),
  fc.tuple(by, someColumn, someCard).map((all) => board.createCard(...all)),
  fc.tuple(by, someBoard).map((all) => board.readBoard(...all)),
  fc.tuple(by, someBoard, edits, ifMatches).map((all) => board.editBoard(...all)),
  fc.tuple(by, fc.constantFrom(...boards, ...columns), fc.boolean(), ifMatches).map((all) => board.setArchived(...all)),
  fc
    .tuple(fc.constantFrom(...(['root', 'root', 'ann'] as const)), someBoard, ifMatches)
    .map((all) => board.deleteBoard(...all)),
  fc.tuple(by, someBoard, by, role).map((all) => board.setMember(...all)),
  fc.tuple(by, someBoard).map((all) => board.listMembers(...all)),
  fc.tuple(by, fc.boolean()).map((all) => board.listBoards(...all)),
  fc.tuple(by, someColumn, place, ifMatches).map((all) => board.moveColumn(...all)),
  fc.tuple(by, someBoard, fc.boolean()).map((all) => board.listColumns(...all)),
  fc.tuple(by, someCard, fc.constantFrom('x', 'y')).map((all) => board.editCard(...all)),
  fc.tuple(by, someCard).map((all) => board.lookUp(...all)),
  fc.tuple(by, someBoard).map((all) => board.listCards(...all)),
];

/** What each of them sees in the end. */
const epilogue = (model: BoardModel) =>
  users.flatMap((user) => [
    ...[false, true].map((archived) => board.listBoards(user, archived)),
    ...[...model.boards.keys()].flatMap((name) => [board.listColumns(user, name, false), board.listCards(user, name)]),
    ...[...model.cards.keys()].map((name) => board.lookUp(user, name)),
  ]);

it('boards keep to their rules in every story', () => tellStories({ start, steps, epilogue }));
