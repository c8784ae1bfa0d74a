import { setImmediate as nextTick } from 'node:timers/promises';
import { declareRegisters } from '@cardinal/bus';
import {
  type Command,
  createWorkstream,
  type grant,
  grant as grantContract,
  type InternalEvent,
  type IssuedIdentifier,
  internalEvent,
  type Workstream,
} from '@cardinal/contracts';
import { atEndOfFile, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { startCardDouble } from './card-double.ts';
import { type Instance, startInstance } from './instance.ts';

/** A database and a broker of one's own, a caller on the bus and a stand-in for the card service. */
export const startWorld = async () => {
  const [{ urls }, nats] = await Promise.all([testDatabase({ service: 'identifier' }), testNats()]);
  await declareRegisters({ url: nats.url });
  const bus = await testBus(nats.url);
  const card = await startCardDouble(nats.url);
  const where = { databaseUrl: urls.identifier, natsUrl: nats.url };
  const instances: Instance[] = [];

  atEndOfFile(async () => {
    for (const instance of instances) await instance.stop();
  });

  return {
    ...where,
    bus,
    card,
    /** The internal events of a workspace, in the order of its feed. */
    internalEvents: async (workspaceId: string): Promise<InternalEvent[]> => {
      const [instance] = instances;
      if (!instance) throw new Error('no instance runs');
      const { rows } = await instance.parts.db.read((tx) =>
        sql<{ event: unknown }>`
          select event from internal_events where workspace_id = ${workspaceId} order by seq`.execute(tx),
      );
      return rows.map(({ event }) => internalEvent.parse(event));
    },
    /** Starts an instance of the service, stopped with the test file. */
    start: async (bestEffortTimeoutMs?: number) => {
      const instance = await startInstance(where, bestEffortTimeoutMs);
      instances.push(instance);
      return instance;
    },
  };
};
export type World = Awaited<ReturnType<typeof startWorld>>;

export const aCommand = (): Command => ({ id: v7(), fingerprint: 'f' });

export const aCaller = (workspace_id = v7()) => ({ workspace_id, user_id: v7() });

/** Makes a workstream and answers it. */
export const aWorkstream = async ({ bus }: World, caller: ReturnType<typeof aCaller>, prefix: string, more = {}) => {
  const request = { ...caller, command: aCommand(), is_admin: true, body: { name: prefix, prefix, ...more } };
  return (await bus.call(createWorkstream, request)).resource;
};

/** Asks for numbers as the card service does, of the workspace's default where nothing else is said. */
export const askForNumbers = (
  { bus }: World,
  { workspace_id }: ReturnType<typeof aCaller>,
  wish: Partial<z.input<typeof grant.request>> = {},
) => bus.call(grantContract, { workspace_id, workstream_id: null, last_number: 0, epoch: 1, ...wish });

/** An identifier as the card service issued it. */
export const issued = (
  { workspace_id, user_id }: ReturnType<typeof aCaller>,
  { id, prefix }: Pick<Workstream, 'id' | 'prefix'>,
  number: number,
  card_id = v7(),
): IssuedIdentifier => ({
  ...{ workspace_id, identifier: `${prefix}-${number}`, workstream_id: id, card_id },
  ...{ card_version: 1, assigned_at: '2026-01-02T03:04:05.678Z', assigned_by: user_id },
});

/** Starts `count` calls, each in a tick and so in a message of its own, without waiting for any. */
export const spread = async <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> => {
  const calls: Promise<T>[] = [];
  for (let index = 0; index < count; index += 1) {
    calls.push(call(index));
    await nextTick();
  }
  return Promise.all(calls);
};
