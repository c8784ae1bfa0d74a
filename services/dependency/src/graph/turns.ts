import { coalesce } from '@cardinal/runtime';

/** Runs work of one workspace after the work that came before it. */
export type InTurn = <Result>(workspaceId: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Lets changes of one workspace's graph wait here instead of at its lock, where each would hold a connection that other
 * workspaces need. The lock decides between instances.
 */
export const createTurns = (): InTurn => {
  const turns = coalesce<{ workspaceId: string; work: () => Promise<unknown> }, unknown>({
    name: 'graph_turns',
    laneOf: ({ workspaceId }) => workspaceId,
    maxBatch: 1,
    run: (members) => Promise.all(members.map(({ work }) => work())),
  });
  return <Result>(workspaceId: string, work: () => Promise<Result>) =>
    turns.submit({ workspaceId, work }) as Promise<Result>;
};
