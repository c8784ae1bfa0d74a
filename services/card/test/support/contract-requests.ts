import * as contracts from '@cardinal/contracts';
import { dependencyChanged, linkedFileChanged, type RequestContract, workstreamChanged } from '@cardinal/contracts';
import { v7 } from 'uuid';
import type { Prepare } from './contract-fixture.ts';
import {
  archived,
  below,
  board,
  byAuthor,
  card,
  closed,
  column,
  comment,
  desired,
  filed,
  label,
  labelId,
  managing,
  moves,
  onOpenBoard,
  promised,
  reading,
  subtask,
  unrecordedCard,
  user,
  versioned,
} from './preparing.ts';

const page = { limit: 10 };

/** A request of every kind that the service serves. */
export const requests: [RequestContract, Prepare][] = [
  [
    contracts.createBoard,
    filed('default_workstream_id', async (of) => ({ request: { ...of.order(), body: { name: 'Board' } } })),
  ],
  [contracts.getBoard, reading('board_id', board)],
  [
    contracts.listBoards,
    async (of) => {
      await of.board();
      const request = { ...of.who, archived: false, page };
      return { request, refused: { insufficient_scope: { ...request, mine: 'admin' } } };
    },
  ],
  [
    contracts.patchBoard,
    async (of) => {
      const prepare = filed('default_workstream_id', versioned('board_id', board, { body: { name: 'Renamed' } }));
      const { request, refused } = await prepare(of);
      const hiding = { ...request, ...of.order(), user_id: v7(), body: { visibility: 'private' } };
      return { request, refused: { ...refused, insufficient_scope: hiding } };
    },
  ],
  [contracts.archiveBoard, versioned('board_id', board)],
  [contracts.restoreBoard, versioned('board_id', archived(contracts.archiveBoard, 'board_id', board))],
  [contracts.deleteBoard, versioned('board_id', board)],
  [
    contracts.putBoardMember,
    async (of) => {
      const { request, refused } = await managing(of);
      const full = { ...request, board_id: (await of.fullBoard()).id };
      return { request: { ...request, body: { role: 'owner' } }, refused: { ...refused, conflict: full } };
    },
  ],
  [contracts.deleteBoardMember, managing],
  [
    contracts.listBoardMembers,
    async (of) => {
      const { request } = await managing(of);
      await of.member(request);
      return { request: { ...of.who, board_id: request.board_id, page } };
    },
  ],

  [
    contracts.createColumn,
    below('board_id', board, archived(contracts.archiveBoard, 'board_id', board), { name: 'To do' }),
  ],
  [
    contracts.listColumns,
    async (of) => {
      const on = await of.board();
      await of.columnOf(on);
      return { request: { ...of.who, board_id: on.id, archived: false, page } };
    },
  ],
  [contracts.getColumn, reading('column_id', column)],
  [contracts.patchColumn, versioned('column_id', column, { body: { name: 'Renamed' } })],
  [contracts.archiveColumn, versioned('column_id', column)],
  [contracts.restoreColumn, versioned('column_id', archived(contracts.archiveColumn, 'column_id', column))],

  [
    contracts.createCard,
    filed(
      'workstream_id',
      below('column_id', column, archived(contracts.archiveColumn, 'column_id', column), {
        title: 'Card',
        priority: 'urgent',
        due_date: '2026-05-06T07:08:09.000Z',
      }),
    ),
  ],
  [contracts.getCard, reading('card_id', card)],
  [
    contracts.getCardByIdentifier,
    async (of) => {
      await of.card();
      const request = { ...of.who, identifier: 'MAIN-1' };
      return { request, refused: { not_found: { ...request, identifier: 'MAIN-2' } } };
    },
  ],
  [
    contracts.findCardIds,
    async (of) => {
      await of.card();
      return { request: { ...of.who, identifiers: ['MAIN-1', 'MAIN-2'] } };
    },
  ],
  [
    contracts.resolveIdentifiers,
    async (of) => {
      await of.card();
      const request = { ...of.who, body: { text: 'As main-1, and MAIN-2', any_case: true } };
      const text = Array.from({ length: 101 }, (_, at) => `MAIN-${at + 1}`).join(' ');
      return { request, refused: { validation_error: { ...request, body: { text, any_case: false } } } };
    },
  ],
  [
    contracts.listUnrecordedOfWorkspace,
    async (of) => {
      const { id: card_id } = await unrecordedCard(of);
      return { request: { workspace_id: of.who.workspace_id, after: { card_id, identifier: '' } } };
    },
  ],
  [contracts.listUnrecorded, reading('card_id', unrecordedCard, { from_version: 1, limit: 10 })],
  [
    contracts.listCards,
    async (of) => {
      const on = await of.board();
      await of.cardIn(await of.columnOf(on));
      return { request: { ...of.who, board_id: on.id, filters: { archived: false }, page } };
    },
  ],
  [
    contracts.searchCards,
    async (of) => {
      await of.card();
      return { request: { ...of.who, filters: { archived: false }, page } };
    },
  ],
  [
    contracts.patchCard,
    filed('workstream_id', onOpenBoard('card_id', card, { body: { title: 'Renamed', completed: true } })),
  ],
  [
    contracts.bulkCards,
    async (of) => {
      const made = [await of.card(), await of.card()];
      const cards = made.map(({ id, version }) => ({ card: id, version }));
      return { request: { ...of.order(), body: { cards, patch: { title: 'Renamed' } } } };
    },
  ],
  [
    contracts.transferCard,
    async (of) => {
      const body = { workstream_id: of.workstream('PAY').id };
      return filed('workstream_id', onOpenBoard('card_id', card, { body }))(of);
    },
  ],
  [contracts.moveCard, moves],
  [contracts.archiveCard, onOpenBoard('card_id', card)],
  [
    contracts.restoreCard,
    async (of) => {
      const put = archived(contracts.archiveCard, 'card_id', card);
      const { request, refused } = await onOpenBoard('card_id', put)(of);
      const alone = await of.column();
      const one = await of.change(contracts.archiveCard, 'card_id', await of.cardIn(alone));
      await of.change(contracts.archiveColumn, 'column_id', alone);
      const nowhere = { ...request, ...of.order(), card_id: one.id, if_match: [one.version] };
      return { request, refused: { conflict: [refused?.conflict ?? [], nowhere].flat() } };
    },
  ],
  [contracts.deleteCard, onOpenBoard('card_id', card)],

  [contracts.putAssignee, desired('assignee_user_id', user)],
  [contracts.deleteAssignee, desired('assignee_user_id', user)],
  [contracts.putCardLabel, desired('label_id', labelId)],
  [contracts.deleteCardLabel, desired('label_id', labelId, ['label_id'])],
  [contracts.createLabel, async (of) => ({ request: { ...of.order(), body: { name: 'Bug', color: '#1d76db' } } })],
  [
    contracts.listLabels,
    async (of) => {
      await of.label();
      return { request: { ...of.who, page } };
    },
  ],
  [contracts.getLabel, reading('label_id', label)],
  [contracts.patchLabel, versioned('label_id', label, { body: { name: 'Renamed' } })],
  [contracts.deleteLabel, versioned('label_id', label)],

  [contracts.createComment, below('card_id', card, closed, { body: 'Why?' })],
  [contracts.listComments, async (of) => ({ request: { ...of.who, card_id: (await comment(of)).card_id, page } })],
  [contracts.getComment, reading('comment_id', comment)],
  [contracts.patchComment, byAuthor({ body: { body: 'Because.' } })],
  [contracts.deleteComment, byAuthor()],
  [contracts.createSubtask, below('card_id', card, closed, { title: 'Step' })],
  [contracts.listSubtasks, async (of) => ({ request: { ...of.who, card_id: (await subtask(of)).card_id, page } })],
  [contracts.getSubtask, reading('subtask_id', subtask)],
  [
    contracts.patchSubtask,
    async (of) => {
      const { request, refused } = await onOpenBoard('subtask_id', subtask, { body: { completed: true } })(of);
      const after = async (id: unknown) => ({ ...request, ...of.order(), body: { after_subtask_id: id } });
      const nextTo = [await after(request.subtask_id), await after((await of.subtask()).id)];
      return { request, refused: { ...refused, validation_error: nextTo } };
    },
  ],
  [contracts.deleteSubtask, onOpenBoard('subtask_id', subtask)],

  [
    contracts.closeRange,
    async (of) => {
      const { workspace_id, adopting: _, ...workstream } = of.workstream('PAY');
      return { request: { workspace_id, workstream, epoch: 1 } };
    },
  ],
  [
    contracts.openRange,
    async (of) => {
      const { workspace_id, adopting: _, ...workstream } = of.workstream('WEB');
      return { request: { workspace_id, workstream, epoch: 1, above: 0, next_number: 7183 } };
    },
  ],
  [
    contracts.adoptCards,
    async (of) => {
      const { id: workstream_id } = of.adoptingWorkstream('WEB');
      of.adoptingWorkstream('OLD');
      const cards = [
        { number: 7182, former: ['OLD-5'], column_id: (await of.column()).id, title: 'Refunds fail' },
        { number: 7182, column_id: (await of.column()).id, title: 'Refunds fail' },
      ];
      const request = { ...of.order(), workstream_id, body: { cards } };
      const never = { ...request, ...of.order(), workstream_id: of.workstream('PAY').id };
      return { request, refused: { conflict: never } };
    },
  ],
  [
    contracts.findExisting,
    async (of) => {
      const { id, card_id } = await of.subtask();
      return { request: { workspace_id: of.who.workspace_id, ids: [card_id, id, v7()] } };
    },
  ],
  [contracts.summarizeCards, async (of) => ({ request: { ...of.who, card_ids: [(await of.card()).id] } })],
  [contracts.filterBoards, async (of) => ({ request: { ...of.who, board_ids: [(await of.board()).id, v7()] } })],
  [
    contracts.seeBoards,
    async (of) => {
      const { workspace_id, user_id } = of.who;
      const board_ids = [(await of.board()).id, v7()];
      return { request: { workspace_id, user_ids: [user_id], board_ids } };
    },
  ],
  [contracts.projectWorkstream, promised(workstreamChanged)],
  [contracts.projectDependency, promised(dependencyChanged)],
  [contracts.findSubtask, reading('subtask_id', subtask)],
  [
    contracts.projectLinkedFile,
    promised(linkedFileChanged, async (of) => {
      const { id: subtask_id, card_id } = await of.subtask();
      return { aggregate_id: subtask_id, data: { subtask_id, card_id } };
    }),
  ],
];
