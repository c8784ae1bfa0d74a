import {
  CardinalError,
  errorStatus,
  listIdentifiers,
  listUnrecorded,
  lookUpCard,
  lookUpIdentifier,
  notFound,
  type RequestContract,
  resolveIdentifier,
} from '@cardinal/contracts';
import { goldenRequest } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';
import type { Claims } from './keys.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const { card, reference } = lookUpCard.reply.parse(goldenRequest(lookUpCard).reply);
const { workspace_id: workspace, user_id: user } = lookUpCard.request.parse(goldenRequest(lookUpCard).request);

/** The owner answers as its golden file says; what it was asked, each time. */
const promised = (contract: RequestContract) => {
  const asked: unknown[] = [];
  gateway.serve(contract, (request) => {
    asked.push(request);
    return goldenRequest(contract).reply;
  });
  return asked;
};

/** Each golden refusal of the owner, and what the client gets for it. */
const refusalsOf = async (contract: RequestContract, ask: () => Promise<unknown>) => {
  for (const { code, message } of goldenRequest(contract).refusals) {
    gateway.serve(contract, () => {
      throw new CardinalError(code, message);
    });
    expect(await ask()).toMatchObject({ status: errorStatus[code], json: { error: { code, message } } });
  }
};

describe('identifier history', () => {
  const ask = async () => {
    const token = await gateway.tokenFor({ workspace, user });
    return gateway.call({ path: `/cards/${card.id}/identifiers`, token });
  };

  it('asks the card service for what is current and what is on its way, then the identifier service for all', async () => {
    const [cards, histories] = [promised(listUnrecorded), promised(listIdentifiers)];
    const answer = await ask();
    const { reply } = goldenRequest(listIdentifiers);
    expect(answer.json).toEqual({ data: reply, page: { next_cursor: null, has_more: false } });
    const by = { workspace_id: workspace, user_id: user, card_id: card.id };
    expect([cards, histories]).toEqual([[by], [{ ...by, ...(goldenRequest(listUnrecorded).reply as object) }]]);
  });

  it('of an invisible card is refused without asking further', async () => {
    const histories = promised(listIdentifiers);
    await refusalsOf(listUnrecorded, ask);
    expect(histories).toEqual([]);
  });
});

describe('lookup by identifier', () => {
  const asked: string[] = [];
  const unknown = () => {
    throw notFound('Card');
  };
  beforeEach(() => {
    asked.length = 0;
    gateway.serve(lookUpCard, ({ card_id }) => (card_id === card.id ? { card, reference } : unknown()));
    // The card service knows what is current, the ledger what was.
    gateway.serve(lookUpIdentifier, ({ identifier }) => {
      asked.push(`card ${identifier}`);
      return identifier === card.identifier ? { card, reference } : unknown();
    });
    gateway.serve(resolveIdentifier, ({ identifier }) => {
      asked.push(`ledger ${identifier}`);
      return identifier === 'MAIN-404' ? unknown() : { card_id: card.id };
    });
  });
  // A workspace of its own, so that nothing is known from before.
  const lookUp = async (spelling: string, claims: Claims = { workspace: v7() }) =>
    gateway.call({ path: `/cards/by-identifier/${spelling}`, token: await gateway.tokenFor(claims) });

  it('asks the card service alone for what is current or on its way to the ledger', async () => {
    const [cards, identifiers] = [promised(lookUpIdentifier), promised(resolveIdentifier)];
    expect((await lookUp(card.identifier, { workspace, user })).json.data).toMatchObject({ card, reference });
    expect([cards, identifiers]).toEqual([[goldenRequest(lookUpIdentifier).request], []]);
  });

  it('asks the ledger for what the card service does not know, then the card service for what it shows', async () => {
    const cards = promised(lookUpCard);
    expect((await lookUp('OLD-3', { workspace, user })).json.data).toMatchObject({ card, reference });
    expect(asked).toEqual(['card OLD-3', 'ledger OLD-3']);
    expect(cards).toEqual([goldenRequest(lookUpCard).request]);
  });

  it.each<RequestContract>([resolveIdentifier, lookUpCard])('is refused where $subject is', async (contract) => {
    await refusalsOf(contract, () => lookUp('OLD-3'));
  });

  it('is 503 where the card service cannot tell, whatever the ledger knows', async () => {
    gateway.serve(lookUpIdentifier, () => {
      throw new CardinalError('unavailable', 'Not now');
    });
    expect((await lookUp('OLD-3')).status).toBe(503);
    expect(asked).toEqual([]);
  });

  it.each([
    ['MAIN-1', false],
    ['main-1', false],
    ['OLD-3', true],
    ['Old-3', true],
  ])('of %s: is_alias %s, and the spelling comes back', async (spelling, isAlias) => {
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
    expect(asked[0]).toBe(`card ${spelling.toUpperCase()}`);
  });

  it.each([
    'MAIN',
    'MAIN-',
    'MAIN-0',
    'MAIN-01',
    'MAIN-1%20',
    '%20MAIN-1',
    'MAIN-1a',
    'M-1',
    'MAIN%E2%80%901',
    'MAIN-9999999999999999',
    'MAIN-1%0A',
  ])('of %s is 404 without asking anyone', async (spelling) => {
    expect((await lookUp(spelling)).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('is the same 404 for what was never issued, is not visible, or is malformed', async () => {
    const shape = async (spelling: string) => {
      const { status, json, headers } = await lookUp(spelling);
      const { 'x-request-id': _id, date: _date, ...rest } = headers;
      return { status, headers: rest, error: { ...json.error, request_id: '' } };
    };
    const never = await shape('MAIN-404');
    const malformed = await shape('MAIN-0');
    gateway.serve(lookUpCard, () => {
      throw notFound('Resource');
    });
    gateway.serve(lookUpIdentifier, unknown);
    expect(never.status).toBe(404);
    expect(malformed).toEqual(never);
    expect(await shape('MAIN-1')).toEqual(never);
  });

  it('takes the same way to a hidden card as to what was never issued, the first time and again', async () => {
    const asked: string[] = [];
    gateway.serve(resolveIdentifier, ({ identifier }) => {
      asked.push('identifier');
      if (identifier === 'MAIN-404') throw notFound('Identifier');
      return { card_id: card.id };
    });
    gateway.serve(lookUpIdentifier, ({ user_id, identifier }) => {
      asked.push('current');
      if (user_id !== user || identifier === 'MAIN-404') throw notFound('Card');
      return { card, reference };
    });
    gateway.serve(lookUpCard, ({ user_id, card_id }) => {
      asked.push('card');
      if (user_id !== user || card_id !== card.id) throw notFound('Card');
      return { card, reference };
    });
    const own = { workspace: v7(), user: v7() };
    const wayTo = async (spelling: string) => {
      asked.length = 0;
      expect((await lookUp(spelling, own)).status).toBe(404);
      return [...asked];
    };
    // Somebody else sees it, and has it in the cache from then on.
    for (const _ of ['first', 'again']) expect((await lookUp('MAIN-1', { ...own, user })).status).toBe(200);
    for (const _ of ['first', 'again']) {
      expect([await wayTo('MAIN-404'), await wayTo('MAIN-1')]).toEqual(
        Array(2).fill(['current', 'identifier', 'card']),
      );
    }
  });

  it('asks once which card an identifier belongs to, and each time which one is current', async () => {
    const own = { workspace: v7(), user: v7() };
    const ask = async () => (await lookUp('MAIN-1', own)).json.data;
    expect((await ask()).is_alias).toBe(false);
    const moved = { ...card, identifier: 'OPS-1' };
    gateway.serve(lookUpCard, () => ({ card: moved, reference }));
    expect(await ask()).toMatchObject({ is_alias: true, current_identifier: 'OPS-1' });
    expect(asked).toEqual(['card MAIN-1']);
  });
});
