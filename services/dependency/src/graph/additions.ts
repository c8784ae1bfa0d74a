import type { Database } from '@cardinal/db';
import { type Coalescer, coalesce } from '@cardinal/runtime';
import type { Tables } from '../store/database.ts';
import { type Addition, addEdges, type WantedEdge } from './add-edges.ts';

/** A dependency that somebody wants in a workspace. */
export interface AdditionRequest extends WantedEdge {
  workspaceId: string;
}

export type Additions = Coalescer<AdditionRequest, Addition>;

/** Keeps a transaction short where many of its dependencies go against the order. */
const atOnce = 64;

/**
 * New dependencies of a workspace that arrive while others are added are added together next: they would wait for
 * those anyway, each with a connection that other workspaces need.
 */
export const createAdditions = ({ db }: { db: Database<Tables> }): Additions =>
  coalesce({
    name: 'dependency_additions',
    laneOf: ({ workspaceId }) => workspaceId,
    maxBatch: atOnce,
    // A lane is a workspace, so the first one speaks for all.
    run: (requests) => addEdges(db, (requests[0] as AdditionRequest).workspaceId, requests),
  });
