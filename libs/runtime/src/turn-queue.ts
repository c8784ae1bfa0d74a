import { currentContext } from './context.ts';

/** Whose work it is. */
export interface Owner {
  workspaceId: string;
  userId: string;
}

/** Stands for the workspace and the user of work that is nobody's: batches of many callers, sweepers, checks. */
export const nobody: Owner = { workspaceId: '', userId: '' };

/** Whose work the current context is. */
export const currentOwner = (): Owner => currentContext()?.caller ?? nobody;

const toTheEnd = <Value>(queue: Map<string, Value>, key: string) => {
  const value = queue.get(key);
  if (value === undefined || queue.size === 1) return;
  queue.delete(key);
  queue.set(key, value);
};

interface Workspace<Item> {
  size: number;
  /** What waits, by user; the user whose turn is next comes first. */
  users: Map<string, Item[]>;
}

/**
 * What waits, in turns: of workspaces, within one of its users, and of what a user waits for first come, first served. So
 * nobody waits behind everything that somebody else asked for.
 */
export const turnQueue = <Item>() => {
  // The workspace whose turn is next comes first.
  const workspaces = new Map<string, Workspace<Item>>();
  let size = 0;

  const left = ({ workspaceId, userId }: Owner, workspace: Workspace<Item>, items: Item[]) => {
    size -= 1;
    workspace.size -= 1;
    if (items.length === 0) workspace.users.delete(userId);
    if (workspace.size === 0) workspaces.delete(workspaceId);
  };

  return {
    size: () => size,
    /** What waits of one workspace. */
    sizeOf: ({ workspaceId }: Owner) => workspaces.get(workspaceId)?.size ?? 0,

    /** @param how.first whether it comes before what the same user waits for */
    add({ workspaceId, userId }: Owner, item: Item, { first = false } = {}): void {
      const workspace = workspaces.get(workspaceId) ?? { size: 0, users: new Map() };
      const items = workspace.users.get(userId) ?? [];
      if (first) items.unshift(item);
      else items.push(item);
      workspace.users.set(userId, items);
      workspace.size += 1;
      workspaces.set(workspaceId, workspace);
      size += 1;
    },

    /** Takes the next one out, of those workspaces that may have a turn now. */
    next(mayHave: (workspaceId: string) => boolean): Item | undefined {
      for (const [workspaceId, workspace] of workspaces) {
        if (!mayHave(workspaceId)) continue;
        const [[userId, items] = [nobody.userId, []]] = workspace.users;
        const item = items.shift();
        toTheEnd(workspace.users, userId);
        toTheEnd(workspaces, workspaceId);
        left({ workspaceId, userId }, workspace, items);
        return item;
      }
      return undefined;
    },

    /** Takes one out that does not wait any more. */
    remove(owner: Owner, item: Item): void {
      const workspace = workspaces.get(owner.workspaceId);
      const items = workspace?.users.get(owner.userId) ?? [];
      const at = items.indexOf(item);
      if (!workspace || at === -1) return;
      items.splice(at, 1);
      left(owner, workspace, items);
    },

    /** Somebody's turn is over: those who came meanwhile had none yet. */
    passed({ workspaceId, userId }: Owner): void {
      const users = workspaces.get(workspaceId)?.users;
      toTheEnd(workspaces, workspaceId);
      if (users) toTheEnd(users, userId);
    },
  };
};

export type TurnQueue<Item> = ReturnType<typeof turnQueue<Item>>;

/** How much of what is under way, or in how much of it, each workspace has a part. */
export const countByWorkspace = () => {
  const counts = new Map<string, number>();
  return {
    of: (workspaceId: string) => counts.get(workspaceId) ?? 0,
    change(workspaceId: string, by: 1 | -1): void {
      const count = (counts.get(workspaceId) ?? 0) + by;
      if (count === 0) counts.delete(workspaceId);
      else counts.set(workspaceId, count);
    },
  };
};
