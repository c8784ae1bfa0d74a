import { randomUUID } from 'node:crypto';
import type { WrongTokens } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { expectRefusal, stack, world } from './routes/bad-requests.ts';
import { type Answer, clientOf } from './workspace.ts';

describe('tokens', () => {
  const withHeader = async (authorization: string | undefined): Promise<Answer> => {
    const client = await clientOf(stack);
    return client.get('/boards', { headers: { authorization: authorization ?? '' } });
  };

  const wrong: [string, (tokens: WrongTokens) => string | undefined][] = [
    ['none', () => undefined],
    ['another scheme', () => 'Basic dTpw'],
    ['nonsense', () => 'Bearer nonsense'],
    ['an expired one', (tokens) => `Bearer ${tokens.expired}`],
    ['alg none', (tokens) => `Bearer ${tokens.algNone}`],
    ['a wrong audience', (tokens) => `Bearer ${tokens.wrongAudience}`],
    ['a wrong issuer', (tokens) => `Bearer ${tokens.wrongIssuer}`],
    ['another key', (tokens) => `Bearer ${tokens.otherKey}`],
    ['the public key as a secret', (tokens) => `Bearer ${tokens.publicKeyAsSecret}`],
    ['a changed payload', (tokens) => `Bearer ${tokens.tampered}`],
    ['no expiry', (tokens) => `Bearer ${tokens.noExpiry}`],
    ['no workspace', (tokens) => `Bearer ${tokens.noWorkspace}`],
    ['a workspace that is no uuid', (tokens) => `Bearer ${tokens.workspaceNoUuid}`],
  ];

  it.each(wrong)('%s: 401 with WWW-Authenticate', async (_, authorization) => {
    const answer = await withHeader(authorization(await stack.wrongTokens()));
    expectRefusal(answer, 401, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each([
    ['reading', 'kanban:other', 'GET', '/boards'],
    ['writing', 'kanban:read', 'POST', '/boards'],
    ['deleting', 'kanban:read kanban:write', 'DELETE', `/cards/${randomUUID()}`],
  ])('a scope that does not cover %s: 403', async (_, scope, method, path) => {
    const client = await clientOf(stack, { scope });
    expectRefusal(await client.send(method, path), 403, 'insufficient_scope');
  });

  it('of another workspace sees 404, the same as for what never was', async () => {
    const { card, board, column } = await world();
    const stranger = await clientOf(stack);
    const headers = { 'x-request-id': 'the-same' };
    const shape = (answer: Answer) => ({
      status: answer.status,
      body: answer.body,
      headers: [...answer.headers].filter(
        ([name]) => !['date', 'ratelimit-remaining', 'ratelimit-reset'].includes(name),
      ),
    });
    const asked = (cardId: string, boardId: string, columnId: string) =>
      Promise.all([
        stranger.get(`/cards/${cardId}`, { headers }),
        stranger.get(`/cards/${cardId}/identifiers`, { headers }),
        stranger.patch(`/cards/${cardId}`, { headers, ifMatch: 1, body: { title: 'stolen' } }),
        stranger.post(`/cards/${cardId}/move`, { headers, ifMatch: 1, body: { position: 'end' } }),
        stranger.post(`/cards/${cardId}/archive`, { headers, ifMatch: 1 }),
        stranger.post(`/cards/${cardId}/workstream`, { headers, ifMatch: 1, body: { workstream_id: randomUUID() } }),
        stranger.delete(`/cards/${cardId}`, { headers, ifMatch: 1 }),
        stranger.get(`/boards/${boardId}`, { headers }),
        stranger.get(`/boards/${boardId}/cards`, { headers }),
        stranger.get(`/boards/${boardId}/columns`, { headers }),
        stranger.post(`/columns/${columnId}/cards`, { headers, body: { title: 'smuggled' } }),
      ]);
    const foreign = await asked(card.id, board.id, column.id);
    const unknown = await asked(randomUUID(), randomUUID(), randomUUID());
    expect(foreign.map((answer) => answer.status)).toEqual(foreign.map(() => 404));
    expect(foreign.map(shape)).toEqual(unknown.map(shape));
  });
});
