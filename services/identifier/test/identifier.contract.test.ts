import {
  allocate,
  archiveWorkstream,
  cardCreated,
  cardTransferred,
  confirm,
  createWorkstream,
  getWorkstream,
  listIdentifiers,
  listWorkstreams,
  patchWorkstream,
  projectWorkstream,
  type RequestContract,
  resolveIdentifier,
  settleOperation,
} from '@cardinal/contracts';
import {
  canonical,
  declaredEvents,
  declaredRequests,
  type Exercise,
  eventFile,
  exercise,
  goldenEvent,
  goldenRequest,
  requestFile,
  shape,
} from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { onCardCreated } from '../src/subscribers/card-created.ts';
import { onCardTransferred } from '../src/subscribers/card-transferred.ts';
import type { Instance } from './support/instance.ts';
import { aCaller, aCommand, askForNumber, aWorkstream, startWorld, type World } from './support/world.ts';

let world: World;
let instance: Instance;

beforeAll(async () => {
  world = await startWorld();
  instance = await world.start();
});

type Caller = ReturnType<typeof aCaller>;
type Prepare = (who: Caller) => Promise<Exercise>;
const body = { name: 'Payments', prefix: 'PAY' };
const assigned_at = '2026-01-02T03:04:05.678Z';

const versioned =
  (more: object = {}): Prepare =>
  async (who) => {
    const { id, version } = await aWorkstream(world, who, 'PAY');
    return { request: { ...who, command: aCommand(), workstream_id: id, if_match: [version], ...more } };
  };

/** A card that was issued the first number of its workspace. */
const anIssued = async (who: Caller) => {
  const [operation_id, card_id] = [v7(), v7()];
  await askForNumber(world, who, { operation_id, card_id });
  await world.bus.call(confirm, { workspace_id: who.workspace_id, operation_id, card_version: 1, assigned_at });
  return card_id;
};

/** A request of every kind that the service serves. */
const requests: [RequestContract, Prepare][] = [
  [
    createWorkstream,
    async (who) => {
      await aWorkstream(world, who, 'OLD');
      return {
        request: { ...who, command: aCommand(), body },
        refused: { conflict: { ...who, command: aCommand(), body: { ...body, prefix: 'OLD' } } },
      };
    },
  ],
  [getWorkstream, async (who) => ({ request: { ...who, workstream_id: (await aWorkstream(world, who, 'PAY')).id } })],
  [
    listWorkstreams,
    async (who) => {
      await aWorkstream(world, who, 'PAY');
      return { request: { ...who, archived: false, page: { limit: 10 } } };
    },
  ],
  [patchWorkstream, versioned({ body: { name: 'Renamed' } })],
  [
    archiveWorkstream,
    async (who) => {
      const { items } = await world.bus.call(listWorkstreams, { ...who, archived: false, page: { limit: 10 } });
      const main = { workstream_id: items[0]?.id, if_match: [items[0]?.version] };
      return { ...(await versioned()(who)), refused: { conflict: { ...who, command: aCommand(), ...main } } };
    },
  ],
  [
    allocate,
    async (who) => {
      const { id: workstream_id } = await aWorkstream(world, who, 'PAY');
      const request = { ...who, operation_id: v7(), card_id: v7(), workstream_id, fall_back: false };
      const elsewhere = { ...request, operation_id: v7() };
      await askForNumber(world, who, { ...elsewhere, workstream_id: null });
      return { request, free: ['card_id', 'workstream_id'], refused: { invalid_request: elsewhere } };
    },
  ],
  [
    confirm,
    async (who) => {
      const operation_id = v7();
      await askForNumber(world, who, { operation_id });
      return { request: { workspace_id: who.workspace_id, operation_id, card_version: 1, assigned_at } };
    },
  ],
  [
    resolveIdentifier,
    async (who) => {
      await anIssued(who);
      return { request: { ...who, identifier: 'MAIN-1' }, refused: { not_found: { ...who, identifier: 'MAIN-2' } } };
    },
  ],
  [
    listIdentifiers,
    async (who) => ({
      request: { ...who, card_id: await anIssued(who), current_identifier: 'MAIN-1' },
    }),
  ],
];

describe('what the identifier service serves', () => {
  it('has a golden file for every request', () => {
    const subjects = (served: { subject: string }[]) => served.map(({ subject }) => subject).sort();
    expect(subjects(requests.map(([contract]) => contract))).toEqual(subjects(declaredRequests('identifier.')));
  });

  it.each(requests.map(([contract, prepare]) => ({ subject: contract.subject, contract, prepare })))(
    '$subject: its success, its repetition and each refusal',
    async ({ contract, prepare }) => {
      const request = await prepare(aCaller());
      const outcome = await exercise((asked, asking) => world.bus.call(asked, asking), contract, request);
      await expect(canonical(outcome)).toMatchFileSnapshot(requestFile(contract));
    },
  );
});

describe('what the identifier service emits', () => {
  it.each(declaredEvents('workstream.'))('$subject is what consumers were promised', async (contract) => {
    const who = aCaller();
    const { id } = await aWorkstream(world, who, 'PAY');
    const event = world.card.projected.find(({ aggregate_id }) => aggregate_id === id);
    await expect(canonical(event)).toMatchFileSnapshot(eventFile(contract));
  });
});

describe('what the identifier service relies on', () => {
  it.each<[string, typeof cardCreated, typeof onCardCreated]>([
    ['card.created', cardCreated, onCardCreated],
    ['card.transferred', cardTransferred, onCardTransferred],
  ])('confirms a number by the %s that the card service promised', async (_, contract, subscriber) => {
    const who = aCaller();
    const event = goldenEvent(contract, { workspace_id: who.workspace_id });
    await askForNumber(world, who, { operation_id: event.data.operation_id, card_id: event.aggregate_id });
    await subscriber(instance.parts)(event);
    expect(await world.bus.call(resolveIdentifier, { ...who, identifier: 'MAIN-1' })).toEqual({
      card_id: event.aggregate_id,
    });
  });

  it.each<RequestContract>([settleOperation, projectWorkstream])(
    'its stand-in for $subject answers as the card service does',
    async (contract) => {
      const { request, reply } = goldenRequest(contract);
      expect(shape(await world.bus.call(contract, request))).toEqual(shape(reply));
    },
  );
});
