import * as contracts from '@cardinal/contracts';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { endpoints } from '../src/routes/index.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { aBoard, aCard, aColumn, aComment, aFile, aLabel, aSubtask, aWorkstream } from './resources.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const [board, column, card, workstream] = [aBoard(), aColumn(), aCard(), aWorkstream()];
const [label, comment, subtask] = [aLabel(), aComment(), aSubtask({ linked_file: { id: v7(), name: 'bank.pdf' } })];
const user = v7();
const other = v7();
const moment = '2026-01-02T03:04:05.678Z';
const member = { board_id: board.id, user_id: user, created_at: moment };
const dependency = { card_id: card.id, depends_on_card_id: other, created_at: moment };
const entry = {
  card: { id: other, identifier: 'PAY-8', title: 'a', board_id: v7(), completed_at: null, archived_at: moment },
  created_at: moment,
};
const history: contracts.IdentifierHistoryEntry[] = [
  {
    identifier: 'PAY-7',
    workstream: card.workstream,
    is_current: true,
    assigned_at: card.created_at,
    superseded_at: null,
    assigned_by: v7(),
  },
];
const reference = {
  board_name: 'Payments',
  board_archived_at: null,
  board_deleted_at: null,
  deleted_at: null,
  dependency_count: 0,
  dependent_count: 0,
};
const target = v7();

const file = aFile();
const upload = { method: 'PUT', url: 'https://files.example/u', headers: {}, expires_at: file.created_at };
const cover: contracts.Cover = {
  file_id: file.id,
  name: file.name,
  content_type: 'image/png',
  width: 400,
  height: 300,
  renditions: [{ width: 320, height: 240, url: 'https://files.example/320' }],
};

interface Operation {
  operationId: string;
  request: [method: string, path: string, body?: unknown];
  /** What must reach the owner beside the caller and the command. */
  asks: [contracts.RequestContract, Record<string, unknown>];
  answers: unknown;
  expects: { status: number; json?: unknown; etag?: string; location?: string };
}

const page = { limit: 50 };
const versioned = (resource: { version: number }) => ({
  status: 200,
  json: { data: resource },
  etag: `"${resource.version}"`,
});
const createdAt = (path: string, resource: { version: number }) => ({
  ...versioned(resource),
  status: 201,
  location: `/api/kanban/v1${path}`,
});
const listOf = (...items: unknown[]) => ({
  status: 200,
  json: { data: items, page: { next_cursor: null, has_more: false } },
});
const outcome = (resource: unknown) => ({ resource, replayed: false });
const gone = { status: 204 };

const operations: Operation[] = [
  {
    operationId: 'createBoard',
    request: ['POST', '/boards', { name: ' Payments ' }],
    asks: [contracts.createBoard, { body: { name: 'Payments', visibility: 'workspace', default_workstream_id: null } }],
    answers: outcome(board),
    expects: createdAt(`/boards/${board.id}`, board),
  },
  {
    operationId: 'listBoards',
    request: ['GET', '/boards?archived=true&limit=2&cursor=c'],
    asks: [contracts.listBoards, { archived: true, page: { limit: 2, cursor: 'c' } }],
    answers: { items: [board], next_cursor: null },
    expects: listOf(board),
  },
  {
    operationId: 'getBoard',
    request: ['GET', `/boards/${board.id}`],
    asks: [contracts.getBoard, { board_id: board.id }],
    answers: board,
    expects: versioned(board),
  },
  {
    operationId: 'patchBoard',
    request: ['PATCH', `/boards/${board.id}`, { default_workstream_id: null }],
    asks: [contracts.patchBoard, { board_id: board.id, if_match: [9], body: { default_workstream_id: null } }],
    answers: outcome(board),
    expects: versioned(board),
  },
  {
    operationId: 'archiveBoard',
    request: ['POST', `/boards/${board.id}/archive`],
    asks: [contracts.archiveBoard, { board_id: board.id, if_match: [9] }],
    answers: outcome(board),
    expects: versioned(board),
  },
  {
    operationId: 'restoreBoard',
    request: ['POST', `/boards/${board.id}/restore`],
    asks: [contracts.restoreBoard, { board_id: board.id, if_match: [9] }],
    answers: outcome(board),
    expects: versioned(board),
  },
  {
    operationId: 'deleteBoard',
    request: ['DELETE', `/boards/${board.id}`],
    asks: [contracts.deleteBoard, { board_id: board.id, if_match: [9] }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'createColumn',
    request: ['POST', `/boards/${board.id}/columns`, { name: 'To do' }],
    asks: [contracts.createColumn, { board_id: board.id, body: { name: 'To do' } }],
    answers: outcome(column),
    expects: createdAt(`/columns/${column.id}`, column),
  },
  {
    operationId: 'listColumns',
    request: ['GET', `/boards/${board.id}/columns`],
    asks: [contracts.listColumns, { board_id: board.id, archived: false, page }],
    answers: { items: [column], next_cursor: null },
    expects: listOf(column),
  },
  {
    operationId: 'patchColumn',
    request: ['PATCH', `/columns/${column.id}`, { position: 'end' }],
    asks: [contracts.patchColumn, { column_id: column.id, if_match: [9], body: { position: 'end' } }],
    answers: outcome(column),
    expects: versioned(column),
  },
  {
    operationId: 'archiveColumn',
    request: ['POST', `/columns/${column.id}/archive`],
    asks: [contracts.archiveColumn, { column_id: column.id, if_match: [9] }],
    answers: outcome(column),
    expects: versioned(column),
  },
  {
    operationId: 'restoreColumn',
    request: ['POST', `/columns/${column.id}/restore`],
    asks: [contracts.restoreColumn, { column_id: column.id, if_match: [9] }],
    answers: outcome(column),
    expects: versioned(column),
  },
  {
    operationId: 'createCard',
    request: ['POST', `/columns/${column.id}/cards`, { title: 'a', due_date: '2030-01-01T00:00:00+01:00' }],
    asks: [contracts.createCard, { column_id: column.id, body: { title: 'a', due_date: '2029-12-31T23:00:00.000Z' } }],
    answers: outcome(card),
    expects: createdAt(`/cards/${card.id}`, card),
  },
  {
    operationId: 'getCard',
    request: ['GET', `/cards/${card.id}`],
    asks: [contracts.getCard, { card_id: card.id }],
    answers: card,
    expects: versioned(card),
  },
  {
    operationId: 'listCards',
    request: ['GET', `/boards/${board.id}/cards?q=a&completed=false`],
    asks: [contracts.listCards, { board_id: board.id, filters: { archived: false, completed: false, q: 'a' }, page }],
    answers: { items: [card], next_cursor: null },
    expects: listOf(card),
  },
  {
    operationId: 'patchCard',
    request: ['PATCH', `/cards/${card.id}`, { description: null, workstream_id: target }],
    asks: [
      contracts.patchCard,
      { card_id: card.id, if_match: [9], body: { description: null, workstream_id: target } },
    ],
    answers: outcome(card),
    expects: versioned(card),
  },
  {
    operationId: 'moveCard',
    request: ['POST', `/cards/${card.id}/move`, { column_id: column.id, position: 2.5 }],
    asks: [contracts.moveCard, { card_id: card.id, if_match: [9], body: { column_id: column.id, position: 2.5 } }],
    answers: outcome(card),
    expects: versioned(card),
  },
  {
    operationId: 'transferCard',
    request: ['POST', `/cards/${card.id}/workstream`, { workstream_id: target }],
    asks: [contracts.transferCard, { card_id: card.id, if_match: [9], body: { workstream_id: target } }],
    answers: outcome(card),
    expects: versioned(card),
  },
  {
    operationId: 'archiveCard',
    request: ['POST', `/cards/${card.id}/archive`],
    asks: [contracts.archiveCard, { card_id: card.id, if_match: [9] }],
    answers: outcome(card),
    expects: versioned(card),
  },
  {
    operationId: 'restoreCard',
    request: ['POST', `/cards/${card.id}/restore`],
    asks: [contracts.restoreCard, { card_id: card.id, if_match: [9] }],
    answers: outcome(card),
    expects: versioned(card),
  },
  {
    operationId: 'deleteCard',
    request: ['DELETE', `/cards/${card.id}`],
    asks: [contracts.deleteCard, { card_id: card.id, if_match: [9] }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'putBoardMember',
    request: ['PUT', `/boards/${board.id}/members/${user}`],
    asks: [contracts.putBoardMember, { board_id: board.id, member_user_id: user }],
    answers: member,
    expects: { status: 200, json: { data: member } },
  },
  {
    operationId: 'deleteBoardMember',
    request: ['DELETE', `/boards/${board.id}/members/${user}`],
    asks: [contracts.deleteBoardMember, { board_id: board.id, member_user_id: user }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'putCardAssignee',
    request: ['PUT', `/cards/${card.id}/assignees/${user}`],
    asks: [contracts.putAssignee, { card_id: card.id, assignee_user_id: user }],
    answers: card,
    expects: versioned(card),
  },
  {
    operationId: 'deleteCardAssignee',
    request: ['DELETE', `/cards/${card.id}/assignees/${user}`],
    asks: [contracts.deleteAssignee, { card_id: card.id, assignee_user_id: user }],
    answers: card,
    expects: gone,
  },
  {
    operationId: 'createLabel',
    request: ['POST', '/labels', { name: ' bug ', colour: '#D73A4A' }],
    asks: [contracts.createLabel, { body: { name: 'bug', colour: '#d73a4a' } }],
    answers: outcome(label),
    expects: createdAt(`/labels/${label.id}`, label),
  },
  {
    operationId: 'listLabels',
    request: ['GET', '/labels?limit=2&cursor=c'],
    asks: [contracts.listLabels, { page: { limit: 2, cursor: 'c' } }],
    answers: { items: [label], next_cursor: null },
    expects: listOf(label),
  },
  {
    operationId: 'patchLabel',
    request: ['PATCH', `/labels/${label.id}`, { name: 'defect' }],
    asks: [contracts.patchLabel, { label_id: label.id, if_match: [9], body: { name: 'defect' } }],
    answers: outcome(label),
    expects: versioned(label),
  },
  {
    operationId: 'deleteLabel',
    request: ['DELETE', `/labels/${label.id}`],
    asks: [contracts.deleteLabel, { label_id: label.id, if_match: [9] }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'putCardLabel',
    request: ['PUT', `/cards/${card.id}/labels/${label.id}`],
    asks: [contracts.putCardLabel, { card_id: card.id, label_id: label.id }],
    answers: card,
    expects: versioned(card),
  },
  {
    operationId: 'deleteCardLabel',
    request: ['DELETE', `/cards/${card.id}/labels/${label.id}`],
    asks: [contracts.deleteCardLabel, { card_id: card.id, label_id: label.id }],
    answers: card,
    expects: gone,
  },
  {
    operationId: 'createComment',
    request: ['POST', `/cards/${card.id}/comments`, { body: ' kept\n' }],
    asks: [contracts.createComment, { card_id: card.id, body: { body: ' kept\n' } }],
    answers: outcome(comment),
    expects: createdAt(`/comments/${comment.id}`, comment),
  },
  {
    operationId: 'listComments',
    request: ['GET', `/cards/${card.id}/comments`],
    asks: [contracts.listComments, { card_id: card.id, page }],
    answers: { items: [comment], next_cursor: null },
    expects: listOf(comment),
  },
  {
    operationId: 'patchComment',
    request: ['PATCH', `/comments/${comment.id}`, { body: 'b' }],
    asks: [contracts.patchComment, { comment_id: comment.id, if_match: [9], body: { body: 'b' } }],
    answers: outcome(comment),
    expects: versioned(comment),
  },
  {
    operationId: 'deleteComment',
    request: ['DELETE', `/comments/${comment.id}`],
    asks: [contracts.deleteComment, { comment_id: comment.id, if_match: [9] }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'createSubtask',
    request: ['POST', `/cards/${card.id}/subtasks`, { title: 'Ask the bank ' }],
    asks: [contracts.createSubtask, { card_id: card.id, body: { title: 'Ask the bank' } }],
    answers: outcome(subtask),
    expects: createdAt(`/subtasks/${subtask.id}`, subtask),
  },
  {
    operationId: 'listSubtasks',
    request: ['GET', `/cards/${card.id}/subtasks?limit=1`],
    asks: [contracts.listSubtasks, { card_id: card.id, page: { limit: 1 } }],
    answers: { items: [subtask], next_cursor: null },
    expects: listOf(subtask),
  },
  {
    operationId: 'patchSubtask',
    request: ['PATCH', `/subtasks/${subtask.id}`, { completed: true, after_subtask_id: other }],
    asks: [
      contracts.patchSubtask,
      { subtask_id: subtask.id, if_match: [9], body: { completed: true, after_subtask_id: other } },
    ],
    answers: outcome(subtask),
    expects: versioned(subtask),
  },
  {
    operationId: 'deleteSubtask',
    request: ['DELETE', `/subtasks/${subtask.id}`],
    asks: [contracts.deleteSubtask, { subtask_id: subtask.id, if_match: [9] }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'putDependency',
    request: ['PUT', `/cards/${card.id}/dependencies/${other}`],
    asks: [contracts.putDependency, { card_id: card.id, depends_on_card_id: other }],
    answers: dependency,
    expects: { status: 200, json: { data: dependency } },
  },
  {
    operationId: 'deleteDependency',
    request: ['DELETE', `/cards/${card.id}/dependencies/${other}`],
    asks: [contracts.deleteDependency, { card_id: card.id, depends_on_card_id: other }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'listDependencies',
    request: ['GET', `/cards/${card.id}/dependencies`],
    asks: [contracts.listDependencies, { card_id: card.id, page }],
    answers: { items: [entry], next_cursor: null },
    expects: listOf(entry),
  },
  {
    operationId: 'listDependents',
    request: ['GET', `/cards/${card.id}/dependents?cursor=c`],
    asks: [contracts.listDependents, { card_id: card.id, page: { limit: 50, cursor: 'c' } }],
    answers: { items: [entry], next_cursor: null },
    expects: listOf(entry),
  },
  {
    operationId: 'createFile',
    request: ['POST', '/files', { name: ' a.png ' }],
    asks: [contracts.createFile, { body: { name: 'a.png', board_id: null } }],
    answers: outcome({ ...file, upload }),
    expects: { status: 201, json: { data: { ...file, upload } }, location: `/api/kanban/v1/files/${file.id}` },
  },
  {
    operationId: 'listFiles',
    request: ['GET', '/files'],
    asks: [contracts.listFiles, { page }],
    answers: { items: [file], next_cursor: null },
    expects: listOf(file),
  },
  {
    operationId: 'getFile',
    request: ['GET', `/files/${file.id}`],
    asks: [contracts.getFile, { file_id: file.id }],
    answers: file,
    expects: { status: 200, json: { data: file } },
  },
  {
    operationId: 'getFileContent',
    request: ['GET', `/files/${file.id}/content`],
    asks: [contracts.getFileContent, { file_id: file.id }],
    answers: { url: 'https://files.example/x' },
    expects: { status: 302, location: 'https://files.example/x' },
  },
  {
    operationId: 'deleteFile',
    request: ['DELETE', `/files/${file.id}`],
    asks: [contracts.deleteFile, { file_id: file.id }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'getCover',
    request: ['GET', `/cards/${card.id}/cover`],
    asks: [contracts.getCover, { card_id: card.id }],
    answers: { cover },
    expects: { status: 200, json: { data: cover } },
  },
  {
    operationId: 'putCover',
    request: ['PUT', `/cards/${card.id}/cover/${file.id}`],
    asks: [contracts.putCover, { card_id: card.id, file_id: file.id }],
    answers: cover,
    expects: { status: 200, json: { data: cover } },
  },
  {
    operationId: 'deleteCover',
    request: ['DELETE', `/cards/${card.id}/cover`],
    asks: [contracts.deleteCover, { card_id: card.id }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'putLinkedFile',
    request: ['PUT', `/subtasks/${subtask.id}/linked-file/${file.id}`],
    asks: [contracts.putLinkedFile, { subtask_id: subtask.id, file_id: file.id }],
    answers: file,
    expects: { status: 200, json: { data: file } },
  },
  {
    operationId: 'deleteLinkedFile',
    request: ['DELETE', `/subtasks/${subtask.id}/linked-file`],
    asks: [contracts.deleteLinkedFile, { subtask_id: subtask.id }],
    answers: { deleted: true },
    expects: gone,
  },
  {
    operationId: 'createWorkstream',
    request: ['POST', '/workstreams', { name: 'Payments', prefix: 'pay', description: 'd' }],
    asks: [contracts.createWorkstream, { body: { name: 'Payments', prefix: 'PAY', description: 'd' } }],
    answers: outcome(workstream),
    expects: createdAt(`/workstreams/${workstream.id}`, workstream),
  },
  {
    operationId: 'listWorkstreams',
    request: ['GET', '/workstreams'],
    asks: [contracts.listWorkstreams, { archived: false, page }],
    answers: { items: [workstream], next_cursor: null },
    expects: listOf(workstream),
  },
  {
    operationId: 'getWorkstream',
    request: ['GET', `/workstreams/${workstream.id}`],
    asks: [contracts.getWorkstream, { workstream_id: workstream.id }],
    answers: workstream,
    expects: versioned(workstream),
  },
  {
    operationId: 'patchWorkstream',
    request: ['PATCH', `/workstreams/${workstream.id}`, { description: null }],
    asks: [contracts.patchWorkstream, { workstream_id: workstream.id, if_match: [9], body: { description: null } }],
    answers: outcome(workstream),
    expects: versioned(workstream),
  },
  {
    operationId: 'archiveWorkstream',
    request: ['POST', `/workstreams/${workstream.id}/archive`],
    asks: [contracts.archiveWorkstream, { workstream_id: workstream.id, if_match: [9] }],
    answers: outcome(workstream),
    expects: versioned(workstream),
  },
];

/** Desired-state writes: repeating them changes nothing, so they carry no command. */
const isDesired = ([contract]: Operation['asks']) => !('command' in (contract.request as z.ZodObject).shape);

const lookups = ['getCardByIdentifier', 'listIdentifiers'];

it('covers every operation', () => {
  const covered = [...operations.map(({ operationId }) => operationId), ...lookups].sort();
  expect(covered).toEqual(endpoints.map(({ operationId }) => operationId).sort());
});

describe('each operation asks its owner and answers what it says', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', async (_, operation) => {
    const { request, asks, answers, expects } = operation;
    const [method, path, body] = request;
    const [contract, asked] = asks;
    let seen: Record<string, unknown> = {};
    gateway.serve(contract, (received) => {
      seen = received as Record<string, unknown>;
      return answers;
    });
    const answer = await gateway.call({
      method,
      path,
      headers: { 'idempotency-key': v7(), 'if-match': '"9"', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect({ status: answer.status, json: answer.json }).toEqual({ status: expects.status, json: expects.json });
    expect([answer.headers.etag, answer.headers.location]).toEqual([expects.etag, expects.location]);
    const command = isDesired(asks) ? {} : { command: { id: expect.any(String), fingerprint: expect.any(String) } };
    expect(seen).toEqual({ ...gateway.caller, ...command, ...asked });
  });
});

describe('a desired-state write', () => {
  const desired = operations.filter(({ request: [method], asks }) => method !== 'GET' && isDesired(asks));

  it.each(desired.map((operation) => [operation.operationId, operation] as const))(
    '%s ignores the headers of the other styles and takes no body',
    async (_, { request: [method, path], asks, answers, expects }) => {
      let asked = 0;
      gateway.serve(asks[0], () => {
        asked += 1;
        return answers;
      });
      expect((await gateway.call({ method, path })).status).toBe(expects.status);
      const headers = { 'idempotency-key': 'a b', 'if-match': 'nonsense', 'if-none-match': '*' };
      const answer = await gateway.call({ method, path, headers });
      expect({ status: answer.status, json: answer.json }).toEqual({ status: expects.status, json: expects.json });
      expect(answer.headers).not.toHaveProperty('idempotent-replayed');
      const withBody = { method, path, headers: { 'content-type': 'application/json' }, body: '{}' };
      expect(await gateway.call(withBody)).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
      expect(asked).toBe(2);
    },
  );
});

describe('refusals of owners', () => {
  it('tell of a cycle by the identifiers of its cards', async () => {
    const path = ['PAY-1', 'PAY-2', 'PAY-1'];
    gateway.serve(contracts.putDependency, () => {
      throw new contracts.CardinalError('conflict', 'It would close a cycle', { path });
    });
    const answer = await gateway.call({ method: 'PUT', path: `/cards/${card.id}/dependencies/${other}` });
    expect(answer).toMatchObject({ status: 409, json: { error: { code: 'conflict', details: { path } } } });
  });

  it('tell that a comment is somebody else’s', async () => {
    gateway.serve(contracts.deleteComment, () => {
      throw new contracts.CardinalError('insufficient_scope', 'Only its author may change a comment');
    });
    const headers = { 'if-match': '"1"' };
    const answer = await gateway.call({ method: 'DELETE', path: `/comments/${comment.id}`, headers });
    expect(answer).toMatchObject({ status: 403, json: { error: { code: 'insufficient_scope' } } });
  });
});

describe('identifier history', () => {
  it('asks the card for its current identifier, then the identifier service for all', async () => {
    let seen: unknown;
    gateway.serve(contracts.getCard, () => card);
    gateway.serve(contracts.listIdentifiers, (received) => {
      seen = received;
      return history;
    });
    const answer = await gateway.call({ path: `/cards/${card.id}/identifiers` });
    expect(answer.json).toEqual({ data: history, page: { next_cursor: null, has_more: false } });
    expect(seen).toEqual({ ...gateway.caller, card_id: card.id, current_identifier: card.identifier });
  });

  it('of an invisible card is 404 without asking further', async () => {
    gateway.serve(contracts.getCard, () => {
      throw contracts.notFound('Card');
    });
    gateway.serve(contracts.listIdentifiers, () => {
      throw new Error('must not be asked');
    });
    expect((await gateway.call({ path: `/cards/${card.id}/identifiers` })).status).toBe(404);
  });
});

describe('lookup by identifier', () => {
  const resolved: string[] = [];
  const serve = (current: contracts.Card) => {
    resolved.length = 0;
    gateway.serve(contracts.resolveIdentifier, ({ identifier }) => {
      resolved.push(identifier);
      if (identifier === 'PAY-404') throw contracts.notFound('Identifier');
      return { card_id: current.id };
    });
    gateway.serve(contracts.lookUpCard, ({ card_id }) => {
      if (card_id !== current.id) throw contracts.notFound('Card');
      return { card: current, reference };
    });
  };
  const lookUp = async (spelling: string) => {
    // A workspace of its own, so that nothing is known from before.
    const token = await gateway.tokenFor({ workspace: v7() });
    return gateway.call({ path: `/cards/by-identifier/${spelling}`, token });
  };

  it.each([
    ['PAY-7', false],
    ['pay-7', false],
    ['OLD-3', true],
    ['Old-3', true],
  ])('of %s: is_alias %s, and the spelling comes back', async (spelling, isAlias) => {
    serve(card);
    const answer = await lookUp(spelling);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      data: {
        card,
        reference,
        resolved_identifier: spelling,
        is_alias: isAlias,
        current_identifier: card.identifier,
      },
    });
    expect(resolved).toEqual([spelling.toUpperCase()]);
  });

  it.each([
    'PAY',
    'PAY-',
    'PAY-0',
    'PAY-07',
    'PAY-7%20',
    '%20PAY-7',
    'PAY-7a',
    'P-7',
    'PAY%E2%80%907',
    'PAY-9999999999999999',
    'PAY-7%0A',
  ])('of %s is 404 without asking anyone', async (spelling) => {
    serve(card);
    expect((await lookUp(spelling)).status).toBe(404);
    expect(resolved).toEqual([]);
  });

  it('is the same 404 for what was never issued, is not visible, or is malformed', async () => {
    serve(card);
    const shape = async (spelling: string) => {
      const { status, json, headers } = await lookUp(spelling);
      const { 'x-request-id': _id, date: _date, ...rest } = headers;
      return { status, headers: rest, error: { ...json.error, request_id: '' } };
    };
    const never = await shape('PAY-404');
    const malformed = await shape('PAY-0');
    gateway.serve(contracts.lookUpCard, () => {
      throw contracts.notFound('Resource');
    });
    expect(never.status).toBe(404);
    expect(malformed).toEqual(never);
    expect(await shape('PAY-7')).toEqual(never);
  });

  it('asks once which card an identifier belongs to, and each time which one is current', async () => {
    serve(card);
    const token = await gateway.tokenFor({ workspace: v7() });
    const ask = async () => (await gateway.call({ path: '/cards/by-identifier/PAY-7', token })).json.data;
    expect((await ask()).is_alias).toBe(false);
    const moved = { ...card, identifier: 'OPS-1' };
    gateway.serve(contracts.lookUpCard, () => ({ card: moved, reference }));
    expect(await ask()).toMatchObject({ is_alias: true, current_identifier: 'OPS-1' });
    expect(resolved).toEqual(['PAY-7']);
  });
});
