import {
  archiveWorkstream,
  type Caller,
  closeRange,
  createWorkstream,
  getWorkstream,
  grant,
  listIdentifiers,
  listUnrecorded,
  listUnrecordedOfWorkspace,
  listWorkstreamIdentifiers,
  listWorkstreams,
  openRange,
  openWorkstream,
  patchWorkstream,
  prepareAdoption,
  projectWorkstream,
  type RequestContract,
  readWorkstreamStates,
  recordIdentifiers,
  resolveIdentifier,
  resolveRecorded,
  summarizeCards,
} from '@cardinal/contracts';
import {
  aCaller,
  aCommand,
  canonical,
  declaredInternalEvents,
  type Exercise,
  eventFile,
  feedExercises,
  goldenRequest,
  shape,
  testRequests,
} from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { askForNumbers, aWorkstream, issued, startWorld } from './support/world.ts';

const world = await startWorld();
await world.start();
const { bus } = world;

type Prepare = (who: Caller) => Promise<Exercise>;
const body = { name: 'Payments', prefix: 'PAY' };

const versioned =
  (more: object = {}): Prepare =>
  async (who) => {
    const { id, version } = await aWorkstream(world, who, 'PAY');
    return { request: { ...who, command: aCommand(), workstream_id: id, if_match: [version], ...more } };
  };

const adopting =
  (more: object = {}): Prepare =>
  async (who) => {
    const { id, version } = await aWorkstream(world, who, 'WEB', { adopting: true });
    return { request: { ...who, command: aCommand(), workstream_id: id, if_match: [version], ...more } };
  };

/** Records the first identifier of a workspace. */
const aRecorded = async (who: Caller) => {
  const { workstream } = await askForNumbers(world, who);
  const one = issued(who, workstream, 1);
  await bus.call(recordIdentifiers, { issued: [one] });
  return one;
};

/** A request of every kind that the service serves. */
const requests: [RequestContract, Prepare][] = [
  [
    createWorkstream,
    async (who) => {
      await aWorkstream(world, who, 'OLD');
      return {
        request: { ...who, command: aCommand(), body },
        refused: {
          conflict: { ...who, command: aCommand(), body: { ...body, prefix: 'OLD' } },
          insufficient_scope: { ...who, command: aCommand(), body: { ...body, prefix: 'WEB', adopting: true } },
        },
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
      const { items } = await bus.call(listWorkstreams, { ...who, archived: false, page: { limit: 10 } });
      const main = { workstream_id: items[0]?.id, if_match: [items[0]?.version] };
      return { ...(await versioned()(who)), refused: { conflict: { ...who, command: aCommand(), ...main } } };
    },
  ],
  [
    grant,
    async (who) => {
      const { id: workstream_id } = await aWorkstream(world, who, 'PAY');
      const request = { workspace_id: who.workspace_id, workstream_id, last_number: 0, epoch: 1 };
      // The first request extends the range, every other one finds it extended.
      await bus.call(grant, request);
      const { id: refused } = await aWorkstream(world, who, 'WEB', { adopting: true });
      return { request, refused: { conflict: { ...request, workstream_id: refused } } };
    },
  ],
  [
    openWorkstream,
    async (who) => {
      world.card.adopted = 7182;
      const { request } = await adopting({ body: { next_number: 10_000 } })(who);
      const low = {
        ...request,
        command: aCommand(),
        workstream_id: (await aWorkstream(world, who, 'LOW', { adopting: true })).id,
      };
      const never = { ...low, command: aCommand(), workstream_id: (await aWorkstream(world, who, 'PAY')).id };
      return { request, refused: { validation_error: { ...low, body: { next_number: 7182 } }, conflict: never } };
    },
  ],
  [
    prepareAdoption,
    async (who) => {
      const { id: workstream_id, prefix } = await aWorkstream(world, who, 'WEB', { adopting: true });
      await bus.call(recordIdentifiers, { issued: [issued(who, { id: workstream_id, prefix }, 1)] });
      await aWorkstream(world, who, 'OLD', { adopting: true });
      const request = { workspace_id: who.workspace_id, workstream_id, epoch: 1, numbers: [1, 2], former: ['OLD-5'] };
      const never = await aWorkstream(world, who, 'PAY');
      return { request, refused: { conflict: { ...request, workstream_id: never.id } } };
    },
  ],
  [
    recordIdentifiers,
    async (who) => {
      const one = await aRecorded(who);
      return {
        request: {
          issued: [
            { ...one, identifier: 'MAIN-2' },
            { ...one, card_id: v7() },
          ],
        },
      };
    },
  ],
  [
    resolveIdentifier,
    async (who) => {
      await aRecorded(who);
      return { request: { ...who, identifier: 'MAIN-1' } };
    },
  ],
  [
    resolveRecorded,
    async (who) => {
      await aRecorded(who);
      return { request: { ...who, identifiers: ['MAIN-404', 'MAIN-1'] } };
    },
  ],
  [
    listWorkstreamIdentifiers,
    async (who) => {
      const { card_id, workstream_id } = await aRecorded(who);
      const [title, board_id] = ['Card', v7()];
      const times = { completed_at: null, archived_at: null };
      world.card.summaries.set(card_id, {
        id: card_id,
        identifier: 'MAIN-1',
        title,
        board_id,
        ...times,
        board_deleted: false,
      });
      return { request: { ...who, workstream_id, page: { limit: 10 } } };
    },
  ],
  [
    listIdentifiers,
    async (who) => {
      const { card_id, ...one } = await aRecorded(who);
      const unrecorded = [{ ...one, card_id, identifier: 'MAIN-2', card_version: 2 }];
      world.card.identifiers.set(`${who.workspace_id}/${card_id}`, { current_identifier: 'MAIN-2', unrecorded });
      return { request: { ...who, card_id, page: { limit: 10 } } };
    },
  ],
];

testRequests({
  service: 'identifier',
  bus,
  exercises: [
    ...requests.map(([contract, prepare]) => [contract, () => prepare(aCaller())] as const),
    [
      readWorkstreamStates,
      async () => {
        const who = aCaller();
        await aWorkstream(world, who, 'PAY');
        return { request: { workspace_id: who.workspace_id, after: null, through: null } };
      },
    ],
    ...feedExercises('identifier', bus, async () => {
      const who = aCaller();
      await aWorkstream(world, who, 'PAY');
      return who.workspace_id;
    }),
  ],
});

describe('internal events of the identifier service', () => {
  it.each(declaredInternalEvents('workstream.'))('$type is as promised', async (contract) => {
    const who = aCaller();
    const { id } = await aWorkstream(world, who, 'PAY');
    const event = world.card.projected.find(({ aggregate_id }) => aggregate_id === id);
    await expect(canonical(event)).toMatchFileSnapshot(eventFile(contract));
  });
});

describe('the stand-ins of the identifier service', () => {
  const asked = [closeRange, openRange, projectWorkstream, listUnrecorded, listUnrecordedOfWorkspace, summarizeCards];
  it.each<RequestContract>(asked)('its stand-in for $subject answers as the card service does', async (contract) => {
    const { request, reply } = goldenRequest(contract);
    const { workspace_id, card_id } = request as { workspace_id: string; card_id: string };
    world.card.identifiers.set(`${workspace_id}/${card_id}`, reply as z.output<typeof listUnrecorded.reply>);
    const { unrecorded = [] } = reply as Partial<z.output<typeof listUnrecorded.reply>>;
    world.card.unrecorded = unrecorded;
    const summaries = Array.isArray(reply) ? (reply as z.output<typeof summarizeCards.reply>) : [];
    for (const one of summaries) world.card.summaries.set(one.id, one);
    expect(shape(await bus.call(contract, request))).toEqual(shape(reply));
  });
});
