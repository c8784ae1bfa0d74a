import {
  CardinalError,
  type Credential,
  type ErrorDetails,
  errorStatus,
  getCover,
  type RequestContract,
} from '@cardinal/contracts';
import { goldenRequest } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { errorsOf } from '../src/openapi/components.ts';
import { startGateway } from './gateway.ts';
import type { Answer } from './http.ts';
import { type Golden, httpOf, type Operation, operations, shownOf } from './operations.ts';

const gateway = await startGateway();

const goldenOf = ({ contract }: Operation) => goldenRequest(contract) as { request: Golden; reply: Golden };

/** The requests to the owner. */
const owner = (contract: RequestContract, answer: () => unknown) => {
  const asked: unknown[] = [];
  gateway.serve(contract, (request) => {
    asked.push(request);
    return answer();
  });
  return asked;
};

/** Whether the owner learns that the caller is an admin; golden requests are of one who is none. */
const tellsOfAdmins = ({ contract }: Operation) => 'is_admin' in (contract.request as z.ZodObject).shape;

/** Sends the HTTP request of a request on the bus, as its caller, with a token. */
const ask = async (operation: Operation, request: Golden) => {
  const { scope: own } = (request.credential ?? {}) as Partial<Credential>;
  const scope = own ? { scope: own } : tellsOfAdmins(operation) ? { scope: 'kanban:write' } : {};
  const token = await gateway.tokenFor({ workspace: request.workspace_id, user: request.user_id, ...scope });
  return gateway.call({ ...httpOf(operation, request), token });
};

/** The request as the owner gets it; only its command comes from the gateway, and no API key from a token. */
const metBy = ({ contract }: Operation, request: Golden) => ({
  ...(contract.request.parse(request) as Golden),
  ...('credential' in request ? { credential: { ...(request.credential as Credential), api_key: null } } : {}),
  ...('command' in request ? { command: { id: expect.any(String), fingerprint: expect.any(String) } } : {}),
});

const shownIn = ({ status, json, headers: { etag, location } }: Answer) => ({ status, json, etag, location });

describe('the golden request reaches its owner, and the golden reply the client', () => {
  it.each(operations)('$id', async (operation) => {
    const { request, reply } = goldenOf(operation);
    const asked = owner(operation.contract, () => reply);
    const answer = await ask(operation, request);
    expect(shownIn(answer)).toEqual(shownOf(operation, reply));
    expect(asked).toEqual([metBy(operation, request)]);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  });

  it.each(operations.filter((operation) => 'replayed' in goldenOf(operation).reply))(
    '$id, replayed',
    async (operation) => {
      const { request, reply } = goldenOf(operation);
      owner(operation.contract, () => ({ ...reply, replayed: true }));
      const answer = await ask(operation, request);
      expect(shownIn(answer)).toEqual(shownOf(operation, reply));
      expect(answer.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    },
  );
});

it('a card without a cover has nothing to show', async () => {
  gateway.serve(getCover, () => ({ cover: null }));
  expect(await gateway.call({ path: `/cards/${v7()}/cover` })).toMatchObject({ status: 204, text: '' });
});

/** The gateway refuses golden cursors that are malformed; the list's own refusal is sent too. */
const lookingRight = (request: Golden): Golden => {
  const page = request.page as { cursor?: string } | undefined;
  return page?.cursor ? { ...request, page: { ...page, cursor: page.cursor.replaceAll('.', '-') } } : request;
};

it.each(operations.filter(tellsOfAdmins))('$id tells its owner of an admin', async (operation) => {
  const { request, reply } = goldenOf(operation);
  const asked = owner(operation.contract, () => reply);
  const token = await gateway.tokenFor({ scope: 'kanban:admin' });
  const { status } = await gateway.call({ ...httpOf(operation, request), token });
  expect(status).toBe(shownOf(operation, reply).status);
  expect(asked).toMatchObject([{ is_admin: true }]);
});

/** The details of a refusal for a client; nobody serves the log here, so those of a 412 name no change. */
const detailsFor = (details: ErrorDetails | undefined) => {
  if (details === undefined) return {};
  if (!('current_version' in details)) return { details };
  return { details: { current_version: details.current_version, changes: [], complete: false } };
};

describe('each golden refusal reaches the client', () => {
  const refusals = operations.flatMap((operation) =>
    goldenRequest(operation.contract).refusals.map((refusal) => ({ ...operation, operation, ...refusal })),
  );

  it.each(refusals)('$id: $code, $message', async ({ operation, request, code, message, details }) => {
    const asked = owner(operation.contract, () => {
      throw new CardinalError(code, message, details);
    });
    const asking = lookingRight(request as Golden);
    const answer = await ask(operation, asking);
    const error = { code, message, request_id: answer.headers['x-request-id'], ...detailsFor(details) };
    expect(shownIn(answer)).toEqual({ status: errorStatus[code], json: { error } });
    expect(asked).toEqual([metBy(operation, asking)]);
  });

  it.each(operations)('$id: the API page has them', ({ http, contract }) => {
    // Without a key each command is a new one.
    const hasKey = http.requires.includes('Idempotency-Key');
    const codes = goldenRequest(contract).refusals.map(({ code }) => code);
    const met = codes.filter((code) => hasKey || code !== 'idempotency_key_reused');
    expect(Object.keys(errorsOf(http))).toEqual(expect.arrayContaining(met.map((code) => String(errorStatus[code]))));
  });
});

describe('a list', () => {
  it.each(operations.filter(({ http }) => http.reply.kind === 'page'))(
    '$id has fifty items a page by default, and continues at its owner’s cursor',
    async (operation) => {
      const { request, reply } = goldenOf(operation);
      const asked = owner(operation.contract, () => ({ ...reply, next_cursor: 'next' }));
      const { page: _, filters: _filters, archived: _archived, ...bare } = request;
      await ask(operation, bare);
      const answer = await ask(operation, { ...request, page: { limit: 2, cursor: 'here' } });
      expect({ status: answer.status, json: answer.json }).toEqual(
        shownOf(operation, { ...reply, next_cursor: 'next' }),
      );
      expect(asked).toEqual([
        metBy(operation, { ...request, page: { limit: 50 } }),
        metBy(operation, { ...request, page: { limit: 2, cursor: 'here' } }),
      ]);
    },
  );
});

describe('a desired-state write', () => {
  const desired = operations.filter(({ http }) => !http.isRead && !http.isCommand);

  it.each(desired)('$id ignores the headers of the other styles, and needs and takes no body', async (operation) => {
    const { request, reply } = goldenOf(operation);
    const asked = owner(operation.contract, () => reply);
    const { method = '', path } = httpOf(operation, request);
    const headers = { 'idempotency-key': 'a b', 'if-match': 'nonsense', 'if-none-match': '*' };
    const answer = await gateway.call({ method, path, headers });
    expect(shownIn(answer)).toEqual(shownOf(operation, reply));
    if (operation.http.body) return;
    const withBody = { method, path, headers: { 'content-type': 'application/json' }, body: '{}' };
    expect(await gateway.call(withBody)).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
    expect(asked).toHaveLength(1);
  });
});
