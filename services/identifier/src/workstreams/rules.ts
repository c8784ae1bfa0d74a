import { conflict, mainPrefix, type Workstream } from '@cardinal/contracts';

/** What a new workstream is made of; `prefix` in upper case. */
type WorkstreamSeed = Pick<Workstream, 'id' | 'name' | 'prefix'> & {
  description?: string | null | undefined;
  now: Date;
};

/** A new, active workstream at version 1. The one with the prefix `MAIN` is its workspace's default. */
export const newWorkstream = ({ id, name, prefix, description, now }: WorkstreamSeed): Workstream => ({
  id,
  type: 'workstream',
  version: 1,
  name,
  prefix,
  description: description ?? null,
  is_default: prefix === mainPrefix,
  archived_at: null,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
});

/** The default workstream that every workspace has (api-decisions, "Tokens"). */
export const newDefaultWorkstream = (id: string, now: Date): Workstream =>
  newWorkstream({ id, name: 'Main', prefix: mainPrefix, now });

const changed = (current: Workstream, changes: Partial<Workstream>, now: Date): Workstream => ({
  ...current,
  ...changes,
  version: current.version + 1,
  updated_at: now.toISOString(),
});

/**
 * Edits name and description; an archived workstream may be edited too.
 * @returns the next state, or `current` itself where the edit changes nothing
 */
export const editWorkstream = (
  current: Workstream,
  edit: { name?: string | undefined; description?: string | null | undefined },
  now: Date,
): Workstream => {
  const name = edit.name ?? current.name;
  const description = edit.description === undefined ? current.description : edit.description;
  if (name === current.name && description === current.description) return current;
  return changed(current, { name, description }, now);
};

/**
 * Archives a workstream for good: it takes no more cards and its prefix stays taken (specification, "Workstream").
 * @returns the next state, or `current` itself where it is archived already
 * @throws CardinalError `conflict` for the workspace's default
 */
export const archiveWorkstream = (current: Workstream, now: Date): Workstream => {
  if (current.is_default) throw conflict('The default workstream cannot be archived');
  if (current.archived_at !== null) return current;
  return changed(current, { archived_at: now.toISOString() }, now);
};
