import { setImmediate as nextTick } from 'node:timers/promises';
import {
  type Caller,
  createWorkstream,
  type grant,
  grant as grantContract,
  type IssuedIdentifier,
  type Workstream,
} from '@cardinal/contracts';
import { aCommand, testSurroundings } from '@cardinal/testkit';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { startCardDouble } from './card-double.ts';
import { startInstance } from './instance.ts';

/** A database and a broker of its own, a caller on the bus, and a stand-in for the card service. */
export const startWorld = async () => {
  const { urls, natsUrl, bus } = await testSurroundings({ service: 'identifier' });
  const card = await startCardDouble(natsUrl);
  const where = { databaseUrl: urls.identifier, natsUrl };
  return {
    ...where,
    bus,
    card,
    /** Starts an instance of the service, stopped with the test file. */
    start: (bestEffortTimeoutMs?: number) => startInstance(where, bestEffortTimeoutMs),
  };
};
export type World = Awaited<ReturnType<typeof startWorld>>;

/** Creates a workstream. @returns it */
export const aWorkstream = async ({ bus }: World, caller: Caller, prefix: string, more = {}) => {
  const request = { ...caller, command: aCommand(), is_admin: true, body: { name: prefix, prefix, ...more } };
  return (await bus.call(createWorkstream, request)).resource;
};

/** Requests numbers as the card service does, by default of the workspace's default workstream. */
export const askForNumbers = (
  { bus }: World,
  { workspace_id }: Caller,
  request: Partial<z.input<typeof grant.request>> = {},
) => bus.call(grantContract, { workspace_id, workstream_id: null, last_number: 0, epoch: 1, ...request });

/** An identifier as the card service issued it. */
export const issued = (
  { workspace_id, user_id }: Caller,
  { id, prefix }: Pick<Workstream, 'id' | 'prefix'>,
  number: number,
  card_id = v7(),
): IssuedIdentifier => ({
  workspace_id,
  identifier: `${prefix}-${number}`,
  workstream_id: id,
  card_id,
  card_version: 1,
  assigned_at: '2026-01-02T03:04:05.678Z',
  assigned_by: user_id,
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
