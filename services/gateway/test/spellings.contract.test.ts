import * as contracts from '@cardinal/contracts';
import { goldenRequest } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startGateway } from './gateway.ts';

const gateway = await startGateway();

const [one, other] = [v7(), v7()];

/** A client's request, and what the owner gets of it beside caller and command. */
const spellings: [contracts.RequestContract, line: string, body: unknown, reaches: Record<string, unknown>][] = [
  [
    contracts.createBoard,
    'POST /boards',
    { name: ' Payments ' },
    { body: { name: 'Payments', visibility: 'workspace', default_workstream_id: null } },
  ],
  [
    contracts.listBoards,
    'GET /boards?archived=true',
    undefined,
    { archived: true, is_admin: true, page: { limit: 50 } },
  ],
  [
    contracts.patchBoard,
    `PATCH /boards/${one}`,
    { default_workstream_id: null },
    { board_id: one, if_match: [9], is_admin: true, body: { default_workstream_id: null } },
  ],
  [
    contracts.patchColumn,
    `PATCH /columns/${one}`,
    { position: 'end' },
    { column_id: one, if_match: [9], body: { position: 'end' } },
  ],
  [
    contracts.createCard,
    `POST /columns/${one}/cards`,
    { title: 'a', due_date: '2030-01-01T00:00:00+01:00' },
    { column_id: one, body: { title: 'a', due_date: '2029-12-31T23:00:00.000Z' } },
  ],
  [
    contracts.patchCard,
    `PATCH /cards/${one}`,
    { description: null, workstream_id: other.toUpperCase() },
    { card_id: one, if_match: [9], body: { description: null, workstream_id: other } },
  ],
  [
    contracts.moveCard,
    `POST /cards/${one}/move`,
    { column_id: other, position: 2.5 },
    { card_id: one, if_match: [9], body: { column_id: other, position: 2.5 } },
  ],
  [
    contracts.createLabel,
    'POST /labels',
    { name: ' bug ', color: '#D73A4A' },
    { body: { name: 'bug', color: '#d73a4a' } },
  ],
  [
    contracts.createComment,
    `POST /cards/${one}/comments`,
    { body: ' kept\n' },
    { card_id: one, body: { body: ' kept\n' } },
  ],
  [
    contracts.createSubtask,
    `POST /cards/${one}/subtasks`,
    { title: 'Ask the bank ' },
    { card_id: one, body: { title: 'Ask the bank' } },
  ],
  [
    contracts.patchSubtask,
    `PATCH /subtasks/${one}`,
    { completed: true, after_subtask_id: other },
    { subtask_id: one, if_match: [9], body: { completed: true, after_subtask_id: other } },
  ],
  [contracts.createFile, 'POST /files', { name: ' a.png ' }, { body: { name: 'a.png', board_id: null } }],
  [
    contracts.createWorkstream,
    'POST /workstreams',
    { name: 'Payments', prefix: 'pay', description: 'd' },
    { is_admin: true, body: { name: 'Payments', prefix: 'PAY', description: 'd' } },
  ],
  [
    contracts.patchWorkstream,
    `PATCH /workstreams/${one}`,
    { description: null },
    { workstream_id: one, if_match: [9], body: { description: null } },
  ],
];

describe('a client’s request reaches the owner', () => {
  const written = spellings.map(([contract, line, body, reaches]) => ({ ...contract, contract, line, body, reaches }));

  it.each(written)('$subject', async ({ contract, line, body, reaches }) => {
    let asked: unknown;
    gateway.serve(contract, (request) => {
      asked = request;
      return goldenRequest(contract).reply;
    });
    const [method = '', path = ''] = line.split(' ');
    const headers = { 'idempotency-key': v7(), 'if-match': '"9"', 'content-type': 'application/json' };
    await gateway.call({ method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const command = method === 'GET' ? {} : { command: { id: expect.any(String), fingerprint: expect.any(String) } };
    expect(asked).toEqual({ ...gateway.caller, ...command, ...reaches });
  });
});
