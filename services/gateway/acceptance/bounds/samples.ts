import { randomUUID } from 'node:crypto';
import type { Fixture } from '../routes/fixture.ts';
import { idOf } from '../routes/samples.ts';

const parameters = ['board', 'column', 'card', 'label', 'comment', 'subtask', 'workstream', 'file', 'webhook'];

/** The fixture's value for a field of a request; undefined for fields that are no ids of its resources. */
const idFor = (field: string, { client, ...fixture }: Fixture): string | undefined => {
  if (field === 'workspace_id') return client.workspaceId;
  if (/(^|_)user_id$/.test(field)) return client.userId;
  if (field === 'depends_on_card_id') return fixture.other.id;
  const named = parameters.find((name) => field.endsWith(`${name}_id`));
  return named && idOf({ client, ...fixture }, `${named}_id`);
};

/**
 * A golden request with the fixture's own ids: under a new command, of any version that the fixture may have, from the
 * beginning of a list.
 */
export const idsIn = (golden: unknown, fixture: Fixture, field = ''): unknown => {
  if (Array.isArray(golden)) {
    if (field === 'if_match') return [1, 2, 3, 4, 5, 6, 7, 8];
    return golden.map(
      (one) => (typeof one === 'string' ? idFor(field.replace(/s$/, ''), fixture) : undefined) ?? idsIn(one, fixture),
    );
  }
  if (typeof golden === 'string') return idFor(field, fixture) ?? golden;
  if (typeof golden !== 'object' || golden === null) return golden;
  const { cursor: _, ...fields } = golden as Record<string, unknown>;
  if (field === 'command') return { ...fields, id: randomUUID() };
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, idsIn(one, fixture, name)]));
};
