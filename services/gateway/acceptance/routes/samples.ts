import { randomUUID } from 'node:crypto';
import type { Route } from '../inventory/routes.ts';
import type { Answer, Body, SendOptions } from '../workspace.ts';
import type { Ground } from './ground.ts';

/** What stands for each parameter of a path. */
const parameters: Record<string, (ground: Ground) => string> = {
  board_id: ({ board }) => board.id,
  column_id: ({ column }) => column.id,
  card_id: ({ card }) => card.id,
  depends_on_card_id: ({ other }) => other.id,
  identifier: ({ card }) => card.identifier,
  label_id: ({ label }) => label.id,
  comment_id: ({ comment }) => comment.id,
  subtask_id: ({ subtask }) => subtask.id,
  workstream_id: ({ workstream }) => workstream.id,
  user_id: ({ client }) => client.userId,
  file_id: ({ file }) => file.id,
};

/** A right body for each route that takes one. */
const bodies: Record<string, (ground: Ground) => Body> = {
  createBoard: () => ({ name: 'new' }),
  patchBoard: () => ({ name: 'renamed' }),
  putBoardMember: () => ({ role: 'owner' }),
  createColumn: () => ({ name: 'new' }),
  patchColumn: () => ({ name: 'renamed' }),
  createCard: () => ({ title: 'new' }),
  patchCard: () => ({ title: 'renamed' }),
  moveCard: () => ({ position: 'end' }),
  transferCard: ({ workstream }) => ({ workstream_id: workstream.id }),
  createLabel: () => ({ name: 'new' }),
  patchLabel: () => ({ name: 'renamed' }),
  createComment: () => ({ body: 'new' }),
  patchComment: () => ({ body: 'changed' }),
  createSubtask: () => ({ title: 'new' }),
  patchSubtask: () => ({ title: 'renamed' }),
  createFile: ({ board }) => ({ name: 'new.png', board_id: board.id }),
  createWorkstream: () => ({ name: 'new', prefix: 'NEW' }),
  patchWorkstream: () => ({ name: 'renamed' }),
};

/** Fields of bodies that name something, and what they name. */
export const namingFields: Record<string, Record<string, string>> = {
  createBoard: { default_workstream_id: 'workstream_id' },
  patchBoard: { default_workstream_id: 'workstream_id' },
  createCard: { workstream_id: 'workstream_id' },
  patchCard: { workstream_id: 'workstream_id' },
  moveCard: { column_id: 'column_id', before_card_id: 'card_id', after_card_id: 'card_id' },
  transferCard: { workstream_id: 'workstream_id' },
  createFile: { board_id: 'board_id' },
  patchSubtask: { before_subtask_id: 'subtask_id', after_subtask_id: 'subtask_id' },
};

/** The id (or identifier) that a ground has for a parameter. */
export const idOf = (ground: Ground, parameter: string): string => {
  const pick = parameters[parameter];
  if (!pick) throw new Error(`no sample for the parameter ${parameter}: name one in samples.ts`);
  return pick(ground);
};

/** Another value than the ground's own for some parameters. */
export type Replacement = Record<string, string>;

export const pathOf = (route: Route, ground: Ground, replacement: Replacement = {}): string =>
  route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(replacement[name] ?? idOf(ground, name)));

export const bodyOf = (route: Route, ground: Ground): Body => {
  const make = bodies[route.operationId];
  if (!make) throw new Error(`no sample body for ${route.operationId}: name one in samples.ts`);
  return make(ground);
};

/** What a path's last id names has this version. */
const versionOf = ({ params }: Route, ground: Ground): number => {
  const owner = params.at(-1)?.replace('_id', '') as keyof Ground;
  return (ground[owner] as Body).version;
};

/** The options of a right request to a route. */
export const optionsFor = (route: Route, ground: Ground): SendOptions => ({
  ...(route.takesBody ? { body: bodyOf(route, ground) } : {}),
  ...(route.needsIfMatch ? { ifMatch: versionOf(route, ground) } : {}),
  key: route.needsKey ? randomUUID() : null,
});

/** Sends a right request of the ground's owner, but for what the caller changes. */
export const sendTo = (
  route: Route,
  ground: Ground,
  change: { by?: Ground['client']; replacement?: Replacement; path?: string; options?: SendOptions } = {},
): Promise<Answer> => {
  const { by = ground.client, replacement, path = pathOf(route, ground, replacement), options } = change;
  return by.send(route.method, path, { ...optionsFor(route, ground), ...options });
};
