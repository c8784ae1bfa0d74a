import * as contracts from '@cardinal/contracts';
import { openPage } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { positionKeys } from '../src/positions/queries.ts';
import { projectionsOf, serve } from '../src/service.ts';
import { startFixture } from './support/fixture.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus, identifier } = fixture;

/** Ids of one board and of what stands on it. */
interface Ids {
  board: string;
  column: string;
  card: string;
  comment: string;
  subtask: string;
  label: string;
  /** The card's. */
  identifier: string;
}

type RequestOf<Contract> = Contract extends contracts.RequestContract<infer Request> ? z.input<Request> : never;
type Fields<Contract> = Omit<RequestOf<Contract>, 'workspace_id' | 'user_id' | 'command' | 'if_match'>;

/** One request: what it says beside who asks. Its `If-Match` is stale, which must not show before the 404 does. */
interface Probe {
  contract: contracts.RequestContract;
  /** `theirs` are the ids in question, `mine` those of a board that the caller sees. */
  fields: (theirs: Ids, mine: Ids, caller: Workspace) => object;
  /** Set where the request takes ids that are not on a board: they are of the whole workspace. */
  ofWorkspace?: true;
  /** Set where it is written to what is mine: the version has to be right for the other ids to be looked at. */
  toMine?: true;
}

const probe = <Contract extends contracts.RequestContract>(
  contract: Contract,
  fields: (theirs: Ids, mine: Ids, caller: Workspace) => Fields<Contract>,
  more: Pick<Probe, 'ofWorkspace' | 'toMine'> = {},
): Probe => ({ contract, fields, ...more });

const page = { limit: 10 };
const user = v7();
/** A workstream that adopts, of the workspace in question. */
const adopting = v7();
const bulkVerbs = [
  ...[{ patch: { title: 'New' } }, { transfer: { workstream_id: v7() } }, { move: { position: 'end' as const } }],
  ...[{ archive: true as const }, { restore: true as const }],
  ...[{ add_labels: [v7()] }, { remove_labels: [v7()] }, { add_assignees: [user] }, { remove_assignees: [user] }],
];

/** Every request of the service that names something by an id of the caller's. */
const probes: Probe[] = [
  probe(contracts.getBoard, ({ board }) => ({ board_id: board })),
  probe(contracts.patchBoard, ({ board }) => ({ board_id: board, body: { visibility: 'workspace' as const } })),
  probe(contracts.archiveBoard, ({ board }) => ({ board_id: board })),
  probe(contracts.restoreBoard, ({ board }) => ({ board_id: board })),
  probe(contracts.deleteBoard, ({ board }) => ({ board_id: board })),
  probe(contracts.putBoardMember, ({ board }) => ({ board_id: board, member_user_id: user })),
  probe(contracts.deleteBoardMember, ({ board }) => ({ board_id: board, member_user_id: user })),
  probe(contracts.listBoardMembers, ({ board }) => ({ board_id: board, page })),
  probe(contracts.createColumn, ({ board }) => ({ board_id: board, body: { name: 'New' } })),
  probe(contracts.listColumns, ({ board }) => ({ board_id: board, archived: false, page })),
  probe(contracts.getColumn, ({ column }) => ({ column_id: column })),
  probe(contracts.patchColumn, ({ column }) => ({ column_id: column, body: { name: 'New' } })),
  probe(contracts.archiveColumn, ({ column }) => ({ column_id: column })),
  probe(contracts.restoreColumn, ({ column }) => ({ column_id: column })),
  probe(contracts.listCards, ({ board }) => ({ board_id: board, filters: { archived: false }, page })),
  probe(contracts.listCards, ({ column }, mine) => ({
    board_id: mine.board,
    filters: { archived: false, column_id: column },
    page,
  })),
  probe(contracts.searchCards, ({ board }) => ({ filters: { board_id: [board, v7()] }, page })),
  probe(contracts.searchCards, ({ column }) => ({ filters: { column_id: column }, page })),
  probe(contracts.createCard, ({ column }) => ({ column_id: column, body: { title: 'New' } })),
  probe(
    contracts.createCard,
    ({ label }, mine) => ({ column_id: mine.column, body: { title: 'New', label_ids: [mine.label, label] } }),
    { ofWorkspace: true },
  ),
  probe(contracts.adoptCards, ({ column }) => ({
    workstream_id: adopting,
    body: { cards: [{ number: 1, column_id: column, title: 'New' }] },
  })),
  probe(
    contracts.adoptCards,
    ({ label }, { column }) => ({
      workstream_id: adopting,
      body: { cards: [{ number: 2, column_id: column, title: 'New', label_ids: [label] }] },
    }),
    { ofWorkspace: true },
  ),
  probe(contracts.getCard, ({ card }) => ({ card_id: card })),
  probe(contracts.getCardByIdentifier, ({ identifier }) => ({ identifier })),
  probe(contracts.resolveIdentifiers, ({ identifier }) => ({ body: { identifiers: [identifier] } })),
  probe(contracts.findCardIds, ({ identifier }) => ({ identifiers: [identifier] })),
  probe(contracts.listUnrecorded, ({ card }) => ({ card_id: card, from_version: 1, limit: 10 })),
  probe(contracts.patchCard, ({ card }) => ({ card_id: card, body: { title: 'New' } })),
  probe(contracts.transferCard, ({ card }) => ({ card_id: card, body: { workstream_id: v7() } })),
  probe(contracts.moveCard, ({ card }) => ({ card_id: card, body: { position: 'end' as const } })),
  probe(contracts.moveCard, ({ column }, mine) => ({ card_id: mine.card, body: { column_id: column } }), {
    toMine: true,
  }),
  probe(contracts.moveCard, ({ card }, mine) => ({ card_id: mine.card, body: { before_card_id: card } }), {
    toMine: true,
  }),
  probe(
    contracts.moveCard,
    ({ column, card }, mine) => ({ card_id: mine.card, body: { column_id: column, after_card_id: card } }),
    { toMine: true },
  ),
  ...bulkVerbs.map((verb) =>
    probe(contracts.bulkCards, ({ card }) => ({ body: { cards: [{ card, version: 999 }], ...verb } })),
  ),
  probe(
    contracts.bulkCards,
    ({ label }, mine) => ({ body: { cards: [{ card: mine.card }], add_labels: [mine.label, label] } }),
    { ofWorkspace: true },
  ),
  probe(contracts.archiveCard, ({ card }) => ({ card_id: card })),
  probe(contracts.restoreCard, ({ card }) => ({ card_id: card })),
  probe(contracts.deleteCard, ({ card }) => ({ card_id: card })),
  probe(contracts.putAssignee, ({ card }) => ({ card_id: card, assignee_user_id: user })),
  probe(contracts.deleteAssignee, ({ card }) => ({ card_id: card, assignee_user_id: user })),
  probe(contracts.putCardLabel, ({ card }, mine) => ({ card_id: card, label_id: mine.label })),
  probe(contracts.deleteCardLabel, ({ card }, mine) => ({ card_id: card, label_id: mine.label })),
  probe(contracts.createComment, ({ card }) => ({ card_id: card, body: { body: 'New' } })),
  probe(contracts.listComments, ({ card }) => ({ card_id: card, page })),
  probe(contracts.getComment, ({ comment }) => ({ comment_id: comment })),
  probe(contracts.patchComment, ({ comment }) => ({ comment_id: comment, body: { body: 'New' } })),
  probe(contracts.deleteComment, ({ comment }) => ({ comment_id: comment })),
  probe(contracts.createSubtask, ({ card }) => ({ card_id: card, body: { title: 'New' } })),
  probe(contracts.listSubtasks, ({ card }) => ({ card_id: card, page })),
  probe(contracts.getSubtask, ({ subtask }) => ({ subtask_id: subtask })),
  probe(contracts.patchSubtask, ({ subtask }) => ({ subtask_id: subtask, body: { completed: true } })),
  probe(
    contracts.patchSubtask,
    ({ subtask }, mine) => ({ subtask_id: mine.subtask, body: { after_subtask_id: subtask } }),
    { toMine: true },
  ),
  probe(contracts.deleteSubtask, ({ subtask }) => ({ subtask_id: subtask })),
  probe(contracts.findSubtask, ({ subtask }) => ({ subtask_id: subtask })),
  probe(contracts.filterBoards, ({ board }) => ({ board_ids: [board] })),
  probe(contracts.seeBoards, ({ board }, _mine, { who }) => ({ board_ids: [board], user_ids: [who.user_id] })),
  probe(contracts.summarizeCards, ({ card }) => ({ card_ids: [card] })),
  probe(contracts.getLabel, ({ label }) => ({ label_id: label }), { ofWorkspace: true }),
  probe(contracts.patchLabel, ({ label }) => ({ label_id: label, body: { name: 'New' } }), { ofWorkspace: true }),
  probe(contracts.deleteLabel, ({ label }) => ({ label_id: label }), { ofWorkspace: true }),
  probe(contracts.putCardLabel, ({ label }, mine) => ({ card_id: mine.card, label_id: label }), {
    ofWorkspace: true,
  }),
];

/** Requests that name nothing of the caller's choice, and those that only services send. */
const withoutIds = [
  ...[contracts.createBoard, contracts.listBoards, contracts.createLabel, contracts.listLabels],
  ...[contracts.closeRange, contracts.openRange, contracts.projectWorkstream, contracts.projectDependency],
  ...[contracts.projectLinkedFile, contracts.listUnrecordedOfWorkspace, contracts.findExisting],
];

/** A board with something of everything on it. */
const furnish = async (workspace: Workspace): Promise<Ids> => {
  const { order } = workspace;
  const { board, columns } = await workspace.board('One');
  const column = columns[0]?.id ?? '';
  const [card] = await workspace.cards(column, 'Card');
  const card_id = card?.id ?? '';
  const comment = await bus.call(contracts.createComment, { ...order(), card_id, body: { body: 'Text' } });
  const subtask = await bus.call(contracts.createSubtask, { ...order(), card_id, body: { title: 'Step' } });
  const label = await bus.call(contracts.createLabel, { ...order(), body: { name: 'Label' } });
  return {
    ...{ board: board.id, column, card: card_id, identifier: card?.identifier ?? '' },
    ...{ comment: comment.resource.id, subtask: subtask.resource.id, label: label.resource.id },
  };
};

const random = (): Ids => ({
  ...{ board: v7(), column: v7(), card: v7(), comment: v7(), subtask: v7(), label: v7() },
  identifier: gone,
});

const anyVersion = Array.from({ length: 100 }, (_, index) => index + 1);

/** A reply without what was asked about, where it says that again, and without the request's id. */
const nameless = (reply: unknown): unknown =>
  JSON.parse(
    JSON.stringify(reply, (key, value) =>
      ['card', 'requested', 'request_id'].includes(key) && typeof value === 'string' ? undefined : value,
    ),
  );

/** The answer or the refusal, without the ids that were asked about. */
const answerTo = async ({ contract, fields, toMine }: Probe, caller: Workspace, theirs: Ids, mine: Ids) => {
  const request = { ...caller.order(), if_match: toMine ? anyVersion : [999], ...fields(theirs, mine, caller) };
  return bus.call(contract, request).then(
    (reply: unknown) => ({ reply: nameless(reply) }),
    ({ code, message, details }: contracts.CardinalError) => ({ code, message, details }),
  );
};

const owner = openWorkspace(bus);
const outsider = openWorkspace(bus, owner.who.workspace_id);
identifier.add(owner.who.workspace_id, 'WEB', { id: adopting, adopting: true });
const hidden = await furnish(owner);
const mine = await furnish(outsider);
const foreign = await furnish(openWorkspace(bus));
// What is hidden looks like what is deleted: that an identifier was given out is no secret (CONTRACT 4.6).
const [deleted] = await outsider.cards(mine.column, 'Deleted');
await bus.call(contracts.deleteCard, { ...outsider.order(), card_id: deleted?.id ?? '', if_match: [1] });
const gone = deleted?.identifier ?? '';
const hide = { board_id: hidden.board, if_match: [1], body: { visibility: 'private' as const } };
await bus.call(contracts.patchBoard, { ...owner.order(), ...hide });

it('every request of the service is probed', async () => {
  const served: string[] = [];
  const listener = {
    serve: (contract: contracts.RequestContract) => void served.push(contract.subject),
  };
  const context = { ...fixture.instance.context, bus: { ...bus, ...listener } };
  serve(context);
  projectionsOf(context);
  const known = [...probes.map((one) => one.contract), ...withoutIds].map((contract) => contract.subject);
  expect([...new Set(known)].sort()).toEqual([...served].sort());
});

it('a cursor that somebody made up tells nothing of a column that they do not see', async () => {
  const listing = { ...outsider.who, board_id: mine.board, filters: { archived: false } };
  const scope = ['cards', outsider.who.workspace_id, mine.board, [['archived', false]]] as const;
  const page = openPage(scope, [...positionKeys, ...positionKeys] as const, { limit: 1 });
  const after = (columnId: string) => {
    // The column's true version: where it counted, its true position would, and hide what is above that.
    const { head } = page.cut([1, 2], String, () => [columnId, -5, 1, v7(), 0, 1]);
    const cursor = head.next_cursor ?? '';
    return bus.call(contracts.listCards, { ...listing, page: { limit: 10, cursor } });
  };
  const { items } = await after(v7());
  expect(items.length).toBeGreaterThan(0);
  expect((await after(hidden.column)).items).toEqual(items);
});

describe.each(probes)('$contract.subject', (one) => {
  it('answers about a private board of somebody else, and about another workspace, as about nothing', async () => {
    const nothing = await answerTo(one, outsider, random(), mine);
    expect(await answerTo(one, outsider, foreign, mine)).toEqual(nothing);
    if (!one.ofWorkspace) expect(await answerTo(one, outsider, hidden, mine)).toEqual(nothing);
  });

  it('answers otherwise to who sees it', async () => {
    const nothing = await answerTo(one, owner, random(), hidden);
    expect(await answerTo(one, owner, hidden, hidden)).not.toEqual(nothing);
  });
});
