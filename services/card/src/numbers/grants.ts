import { CardinalError, conflict, grant, unavailable } from '@cardinal/contracts';
import { counter, inBackground } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../database.ts';
import { applyGrant, readRange } from './ranges.ts';

/** With fewer numbers left than these, more are asked for. */
const few = 250;
/** A workstream that is edited or archived all the while may need several. */
const mostRounds = 10;
/** Workstreams remembered; one that is forgotten is asked for again. */
const remembered = 100_000;

const grants = counter({
  name: 'cardinal_grants_total',
  help: 'Grants of numbers that were asked for, by how that went',
  labels: ['outcome'],
});
const numbers = counter({ name: 'cardinal_numbers_granted_total', help: 'Numbers that were granted' });

/** What this process knows of the ranges that it issues from. */
export type Grants = ReturnType<typeof createGrants>;

/** Sets up grants; concurrent needs of one workstream share one request. */
export const createGrants = ({ db, bus, logger }: Connections<Tables>) => {
  const known = new LRUCache<string, number>({ max: remembered });
  const asking = new Map<string, Promise<void>>();

  const ask = async (workspaceId: string, workstreamId: string | null): Promise<void> => {
    const generation = db.serverGeneration();
    const range = await db.read((tx) => readRange(tx, workspaceId, workstreamId));
    const request = { workspace_id: workspaceId, workstream_id: workstreamId, last_number: range?.last_number ?? 0 };
    const granted = await bus.call(grant, request).catch((error) => {
      grants.inc({ outcome: error instanceof CardinalError ? error.code : 'internal' });
      throw error;
    });
    grants.inc({ outcome: 'ok' });
    numbers.inc(granted.granted_through - granted.granted_before);
    await db.statement((tx) => applyGrant(tx, workspaceId, granted));
    known.set(`${workspaceId}/${granted.workstream.id}`, generation);
  };
  const askOnce = (workspaceId: string, workstreamId: string | null): Promise<void> => {
    const key = `${workspaceId}/${workstreamId}`;
    const asked = asking.get(key) ?? ask(workspaceId, workstreamId).finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  };
  const knows = (workspaceId: string, workstreamId: string): boolean =>
    known.get(`${workspaceId}/${workstreamId}`) === db.serverGeneration();

  return {
    /** Whether a grant was asked for since the database last may have become another one (architecture, "One transaction", 6). */
    knows,

    /**
     * Sees to it that a number can be issued, and asks for a grant where that is needed.
     * @param workstreamId null is the workspace's default
     * @returns the workstream's id
     * @throws CardinalError `not_found`, `conflict` where it is archived, `unavailable`
     */
    ensure: async (workspaceId: string, workstreamId: string | null): Promise<string> => {
      for (let round = 0; round < mostRounds; round += 1) {
        const range = await db.read((tx) => readRange(tx, workspaceId, workstreamId));
        if (range?.closed) throw conflict('The workstream is archived');
        if (range && range.last_number < range.granted_through && knows(workspaceId, range.id)) return range.id;
        await askOnce(workspaceId, workstreamId);
      }
      throw unavailable('No numbers are granted now');
    },

    /** Asks for more in the background where few numbers are left. */
    askEarly: (workspaceId: string, workstreamId: string, room: number): void => {
      if (room >= few || asking.has(`${workspaceId}/${workstreamId}`)) return;
      inBackground(() => askOnce(workspaceId, workstreamId)).catch((error) =>
        logger.debug({ err: error, workstream: workstreamId }, 'no numbers were granted in advance'),
      );
    },

    /** Demands a new grant before the next number. */
    forget: (workspaceId: string, workstreamId: string): void => {
      known.delete(`${workspaceId}/${workstreamId}`);
    },
  };
};
