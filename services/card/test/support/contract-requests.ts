import * as contracts from '@cardinal/contracts';
import {
  dependencyChanged,
  type EventContract,
  linkedFileChanged,
  type RequestContract,
  workstreamChanged,
} from '@cardinal/contracts';
import { goldenEvent } from '@cardinal/testkit';
import { v7 } from 'uuid';
import type { Given, Made, Prepare } from './contract-ground.ts';

const page = { limit: 10 };
const board = (of: Given) => of.board();
const column = (of: Given) => of.column();
const card = (of: Given) => of.card();
const label = (of: Given) => of.label();
const comment = (of: Given) => of.comment();
const subtask = (of: Given) => of.subtask();
const archived = (contract: RequestContract, key: string, make: (of: Given) => Promise<Made>) => async (of: Given) =>
  of.change(contract, key, await make(of));

/** Addresses by `key` what `make` makes. */
const reading =
  (key: string, make: (of: Given) => Promise<Made>, more: object = {}): Prepare =>
  async (of) => ({ request: { ...of.who, [key]: (await make(of)).id, ...more } });

/** A write that names the version it changes. */
const versioned =
  (key: string, make: (of: Given) => Promise<Made>, more: object = {}): Prepare =>
  async (of) => {
    const one = await make(of);
    return { request: { ...of.order(), [key]: one.id, if_match: [one.version], ...more } };
  };

/** A write to a card, which cards of deleted boards refuse. */
const toCard =
  (more: object = {}): Prepare =>
  async (of) => {
    const write = (one: Made) => ({ ...of.order(), card_id: one.id, if_match: [one.version], ...more });
    return { request: write(await of.card()), refused: { conflict: write(await of.cardOfDeletedBoard()) } };
  };

/** Something new below something else, which the closed one refuses. */
const below =
  (key: string, open: (of: Given) => Promise<Made>, closed: (of: Given) => Promise<Made>, body: object): Prepare =>
  async (of) => ({
    request: { ...of.order(), [key]: (await open(of)).id, body },
    refused: { conflict: { ...of.order(), [key]: (await closed(of)).id, body } },
  });

/** A change of a comment, which others than its author may not make. */
const byAuthor =
  (more: object = {}): Prepare =>
  async (of) => {
    const one = await of.comment();
    const write = { ...of.order(), comment_id: one.id, if_match: [one.version], ...more };
    return { request: write, refused: { insufficient_scope: { ...write, ...of.order(), user_id: v7() } } };
  };

/** Desired state of a card. */
const desired =
  (key: string, value: (of: Given) => Promise<string>, free: string[] = []): Prepare =>
  async (of) => ({ request: { ...of.who, card_id: (await of.card()).id, [key]: await value(of) }, free });

/** What another service promised to send, in a workspace of one's own; the same event changes nothing twice. */
const promised =
  (contract: EventContract, about: (of: Given) => Promise<object> = async () => ({})): Prepare =>
  async (of) => ({
    request: { ...goldenEvent(contract, { workspace_id: of.who.workspace_id, ...(await about(of)) }) },
    again: { applied: false },
  });

const user = async () => v7();
const labelId = async (of: Given) => (await of.label()).id;
const closed = (of: Given) => of.cardOfDeletedBoard();

/** A request of every kind that the service serves. */
export const requests: [RequestContract, Prepare][] = [
  [contracts.createBoard, async (of) => ({ request: { ...of.order(), body: { name: 'Board' } } })],
  [contracts.getBoard, reading('board_id', board)],
  [
    contracts.listBoards,
    async (of) => {
      await of.board();
      return { request: { ...of.who, archived: false, page } };
    },
  ],
  [contracts.patchBoard, versioned('board_id', board, { body: { name: 'Renamed' } })],
  [contracts.archiveBoard, versioned('board_id', board)],
  [contracts.restoreBoard, versioned('board_id', archived(contracts.archiveBoard, 'board_id', board))],
  [contracts.deleteBoard, versioned('board_id', board)],
  [contracts.putBoardMember, reading('board_id', board, { member_user_id: v7() })],
  [contracts.deleteBoardMember, reading('board_id', board, { member_user_id: v7() })],

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
  [contracts.patchColumn, versioned('column_id', column, { body: { name: 'Renamed' } })],
  [contracts.archiveColumn, versioned('column_id', column)],
  [contracts.restoreColumn, versioned('column_id', archived(contracts.archiveColumn, 'column_id', column))],

  [
    contracts.createCard,
    below('column_id', column, archived(contracts.archiveColumn, 'column_id', column), {
      title: 'Card',
      priority: 'urgent',
      due_date: '2026-05-06T07:08:09.000Z',
    }),
  ],
  [contracts.getCard, reading('card_id', card)],
  [contracts.lookUpCard, reading('card_id', card)],
  [
    contracts.listCards,
    async (of) => {
      const on = await of.board();
      await of.cardIn(await of.columnOf(on));
      return { request: { ...of.who, board_id: on.id, filters: { archived: false }, page } };
    },
  ],
  [contracts.patchCard, toCard({ body: { title: 'Renamed', completed: true } })],
  [
    contracts.transferCard,
    async (of) => {
      const to = (workstream_id: string, one: Made) => ({
        ...of.order(),
        ...{ card_id: one.id, if_match: [one.version], body: { workstream_id } },
      });
      const [open, old] = [of.workstream('PAY'), of.workstream('OLD', '2026-01-01T00:00:00.000Z')];
      return {
        request: to(open.id, await of.card()),
        refused: { conflict: to(old.id, await of.card()), not_found: to(v7(), await of.card()) },
      };
    },
  ],
  [contracts.moveCard, toCard({ body: { position: 'end' } })],
  [contracts.archiveCard, toCard()],
  [contracts.restoreCard, versioned('card_id', archived(contracts.archiveCard, 'card_id', card))],
  [contracts.deleteCard, versioned('card_id', card)],

  [contracts.putAssignee, desired('assignee_user_id', user)],
  [contracts.deleteAssignee, desired('assignee_user_id', user)],
  [contracts.putCardLabel, desired('label_id', labelId)],
  [contracts.deleteCardLabel, desired('label_id', labelId, ['label_id'])],
  [contracts.createLabel, async (of) => ({ request: { ...of.order(), body: { name: 'Bug', colour: '#1d76db' } } })],
  [
    contracts.listLabels,
    async (of) => {
      await of.label();
      return { request: { ...of.who, page } };
    },
  ],
  [contracts.patchLabel, versioned('label_id', label, { body: { name: 'Renamed' } })],
  [contracts.deleteLabel, versioned('label_id', label)],

  [contracts.createComment, below('card_id', card, closed, { body: 'Why?' })],
  [contracts.listComments, async (of) => ({ request: { ...of.who, card_id: (await comment(of)).card_id, page } })],
  [contracts.patchComment, byAuthor({ body: { body: 'Because.' } })],
  [contracts.deleteComment, byAuthor()],
  [contracts.createSubtask, below('card_id', card, closed, { title: 'Step' })],
  [contracts.listSubtasks, async (of) => ({ request: { ...of.who, card_id: (await subtask(of)).card_id, page } })],
  [contracts.patchSubtask, versioned('subtask_id', subtask, { body: { completed: true } })],
  [contracts.deleteSubtask, versioned('subtask_id', subtask)],

  [contracts.settleOperation, async (of) => ({ request: { workspace_id: of.who.workspace_id, operation_id: v7() } })],
  [contracts.summarizeCards, async (of) => ({ request: { ...of.who, card_ids: [(await of.card()).id] } })],
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
