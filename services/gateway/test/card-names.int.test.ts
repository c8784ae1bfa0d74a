import { CardinalError, findCardIds, getCard, listEvents, moveCard, putDependency } from '@cardinal/contracts';
import { goldenRequest } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import { type Golden, httpOf, operations } from './operations.ts';
import { aCard } from './resources.ts';

let gateway: Gateway;
/** The card of each identifier, as every caller sees them. */
const cards = new Map<string, string>();
/** The identifiers of each look-up at the card service. */
const asked: string[][] = [];

beforeAll(async () => {
  gateway = await startGateway();
  gateway.serve(findCardIds, ({ identifiers }) => {
    asked.push(identifiers);
    return { card_ids: identifiers.map((identifier) => cards.get(identifier) ?? null) };
  });
});
beforeEach(() => {
  asked.length = 0;
});

let last = 0;
/** A new identifier of a card. */
const nameOf = (id: string) => {
  last += 1;
  cards.set(`WEB-${last}`, id);
  return `WEB-${last}`;
};

it('a list filtered by an identifier is requested by the card’s id', async () => {
  const met: unknown[] = [];
  gateway.serve(listEvents, ({ card }) => {
    met.push(card);
    return { items: [], next_cursor: null, head: 0 };
  });
  const id = v7();
  for (const card of [id, nameOf(id).toLowerCase()]) {
    expect((await gateway.call({ path: `/events?card=${card}` })).status).toBe(200);
  }
  expect(met).toEqual([id, id]);
  await gateway.call({ path: '/events' });
  expect(met[2]).toBeUndefined();
});

const naming = operations.filter(({ http }) => http.cards.length > 0);

describe('the owner gets the same request by identifiers as by ids', () => {
  it.each(naming)('$id', async (operation) => {
    const { contract, http } = operation;
    const { request, reply } = goldenRequest(contract) as { request: Golden; reply: Golden };
    const met: Golden[] = [];
    gateway.serve(contract, (one) => {
      met.push(one as Golden);
      return reply;
    });
    const sent = httpOf(operation, request);
    const named = http.cards.map((name) => nameOf(String(request[name])));
    const spelled = http.cards.map((name, at) => [String(request[name]), String(named[at]).toLowerCase()] as const);
    const path = spelled.reduce((rest, [id, spelling]) => rest.replace(id, spelling), sent.path);
    const [byId, byName] = [await gateway.call(sent), await gateway.call({ ...sent, path })];
    expect([byName.status, byName.text, byName.headers.etag]).toEqual([byId.status, byId.text, byId.headers.etag]);
    // The fingerprint of its command too, and the id where a key makes it.
    const { command: _, ...rest } = met[1] ?? {};
    expect(met[0]).toMatchObject(rest);
    if (http.requires.includes('Idempotency-Key')) expect(met[1]?.command).toEqual(met[0]?.command);
    // Once for all of its names, and not by ids.
    expect(asked).toEqual([named]);
  });
});

describe('an identifier', () => {
  const read = (card: string, token?: string) => gateway.call({ path: `/cards/${card}`, ...(token ? { token } : {}) });
  const serveCards = (ids: readonly string[]) => {
    const met: string[] = [];
    gateway.serve(getCard, ({ card_id }) => {
      met.push(card_id);
      if (!ids.includes(card_id)) throw new CardinalError('not_found', 'Card not found');
      return aCard({ id: card_id });
    });
    return met;
  };

  it('is looked up once for each user, in any spelling', async () => {
    const id = v7();
    const name = nameOf(id);
    const met = serveCards([id]);
    for (const spelling of [name, name.toLowerCase(), name.replace('E', 'e')]) {
      expect((await read(spelling)).json.data.id).toBe(id);
    }
    expect(asked).toEqual([[name]]);
    await read(name, await gateway.tokenFor({ user: v7() }));
    expect(asked).toEqual([[name], [name]]);
    expect(new Set(met)).toEqual(new Set([id]));
  });

  it('that leads nowhere reaches the owner as the id of no card, always the same in a workspace', async () => {
    const met = serveCards([]);
    const unknown = await read('WEB-404');
    expect(unknown).toMatchObject({ status: 404, json: { error: { code: 'not_found', message: 'Card not found' } } });
    await read('web-404');
    await read('WEB-405');
    await read('WEB-404', await gateway.tokenFor({ workspace: v7() }));
    expect(asked).toEqual([['WEB-404'], ['WEB-404'], ['WEB-405'], ['WEB-404']]);
    expect(met[1]).toBe(met[0]);
    expect(new Set(met).size).toBe(3);
  });

  it('whose cached card is gone is looked up again', async () => {
    const [lost, found] = [v7(), v7()];
    const name = nameOf(lost);
    serveCards([lost]);
    await read(name);
    cards.set(name, found);
    const met = serveCards([found]);
    expect((await read(name)).json.data.id).toBe(found);
    expect(met).toEqual([lost, found]);
    cards.delete(name);
    serveCards([]);
    expect((await read(name)).status).toBe(404);
  });

  it('waits for scope, headers and body, and is not looked up for what they refuse', async () => {
    const path = '/cards/WEB-1/move';
    const headers = { 'if-match': '"1"', 'content-type': 'application/json', 'idempotency-key': 'a' };
    const body = JSON.stringify({ position: 'end' });
    gateway.serve(moveCard, () => goldenRequest(moveCard).reply as never);
    const token = await gateway.tokenFor({ scope: 'kanban:read' });
    for (const [status, sent] of [
      [401, { headers, body, token: false }],
      [403, { headers, body, token }],
      [428, { headers: { ...headers, 'if-match': undefined }, body }],
      [400, { headers: { ...headers, 'idempotency-key': undefined }, body }],
      [422, { headers, body: '{"position": "middle"}' }],
    ] as const) {
      expect((await gateway.call({ method: 'POST', path, ...sent } as never)).status).toBe(status);
    }
    expect(asked).toEqual([]);
  });

  it.each(['WEB', 'WEB-', 'WEB-0', 'WEB-01', 'W-1', '1B-1', 'WEB_1', 'WEB-1a', 'WEB-1%20', `WEB-${'9'.repeat(16)}`])(
    'is not %s: 400',
    async (spelling) => {
      const answer = await read(spelling);
      expect(answer.status).toBe(400);
      expect(answer.json.error.message).toContain('card_id: must be a UUID, or an identifier such as PAY-7');
      expect(asked).toEqual([]);
    },
  );

  it('and an id may stand in one path', async () => {
    const [one, other] = [v7(), v7()];
    const met: string[][] = [];
    gateway.serve(putDependency, ({ card_id, depends_on_card_id }) => {
      met.push([card_id, depends_on_card_id]);
      return { card_id, depends_on_card_id, created_at: '2026-01-02T03:04:05.678Z' };
    });
    for (const path of [`/cards/${nameOf(one)}/dependencies/${other}`, `/cards/${one}/dependencies/${nameOf(other)}`]) {
      await gateway.call({ method: 'PUT', path });
    }
    expect(met).toEqual([
      [one, other],
      [one, other],
    ]);
  });
});
