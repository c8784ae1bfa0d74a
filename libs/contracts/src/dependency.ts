import { z } from 'zod';
import { caller, defineInternalEvent, defineProjection, defineRequest } from './bus.ts';
import { maxIdentifier } from './card-identifier.ts';
import { operationsOf } from './operation.ts';
import { deleted, listed, unversioned } from './response.ts';
import { archivedAt, doc, shown, timestamp, uuid } from './scalars.ts';

export const dependency = z
  .object({
    card_id: doc(uuid, 'The card that waits.'),
    depends_on_card_id: doc(uuid, 'The card that it waits for.'),
    created_at: doc(timestamp, 'Since when.'),
  })
  .meta({ id: 'Dependency', description: 'One card waits for another.' });

export const cardSummary = z
  .object({
    id: doc(uuid, 'Its id.'),
    identifier: doc(shown(maxIdentifier), 'Its identifier at present.', 'PAY-7'),
    title: doc(shown(240), 'What is to be done.', 'Refunds fail for gift cards'),
    board_id: doc(uuid, 'The board that it is on.'),
    completed_at: doc(timestamp.nullable(), 'When it was completed; null while it is open.', null),
    archived_at: archivedAt,
  })
  .meta({ id: 'CardSummary', description: 'What lists of dependencies show of a card.' });

export const dependencyEntry = z
  .object({ card: cardSummary, created_at: doc(timestamp, 'Since when the one waits for the other.') })
  .meta({ id: 'DependencyEntry', description: 'The card at the other end of a dependency.' });

/**
 * A dependency was declared or removed. The aggregate is the dependent card (`aggregate_id`); the version rises with
 * each change of any dependency of the workspace.
 */
export const dependencyChanged = defineInternalEvent(
  'dependency.changed',
  1,
  z.object({ card_id: uuid, depends_on_card_id: uuid, exists: z.boolean() }),
);

const operation = operationsOf('dependency', 'Dependencies');
const ends = { card_id: dependency.shape.card_id, depends_on_card_id: dependency.shape.depends_on_card_id };

export const putDependency = operation('putDependency', 'PUT /cards/:card_id/dependencies/:depends_on_card_id', {
  params: ends,
  tool: { name: 'add_dependency' },
  summary: 'Declare that a card depends on another one',
  description:
    'Any card of the workspace, on any board. One that would close a cycle: 409; so is one above 1,000 of a card.',
  emits: ['dependency.added'],
  reply: unversioned(dependency),
  refusals: ['validation_error', 'conflict'],
});

export const deleteDependency = operation(
  'deleteDependency',
  'DELETE /cards/:card_id/dependencies/:depends_on_card_id',
  {
    params: ends,
    tool: { name: 'remove_dependency' },
    summary: 'Remove a dependency',
    description: 'One on a card that the caller cannot see stays; the answer is 204 all the same.',
    emits: ['dependency.removed'],
    reply: deleted(),
    refusals: ['conflict'],
  },
);

export const listDependencies = operation('listDependencies', 'GET /cards/:card_id/dependencies', {
  summary: 'List what a card depends on, oldest first',
  description: 'Cards that the caller cannot see are left out.',
  reply: listed(dependencyEntry),
});

export const listDependents = operation('listDependents', 'GET /cards/:card_id/dependents', {
  summary: 'List the cards that depend on a card, oldest first',
  description: 'Cards that the caller cannot see are left out.',
  reply: listed(dependencyEntry),
});

/** Answers which of the cards exist and are visible to the caller, in any order. */
export const summarizeCards = defineRequest(
  'card.summarize-cards',
  caller.extend({ card_ids: z.array(uuid).min(1).max(1000) }),
  z.array(cardSummary.extend({ board_deleted: z.boolean() })),
  [],
  ['identifier', 'dependency', 'attachment', 'event'],
);

/** Hands a dependency's event to the card service's projection before the writer is answered. */
export const projectDependency = defineProjection('card.project-dependency', dependencyChanged, 'dependency');

/** The ends of a dependency, by which its projection is ordered. */
const edge = z.object({ card_id: uuid, depends_on_card_id: uuid });

/**
 * Reads the dependencies of a workspace as the card service projects them, to rebuild its projection: those after
 * `after` up to `through`, by their ends.
 */
export const readEdges = defineRequest(
  'dependency.read-edges',
  z.object({ workspace_id: uuid, after: edge.nullable(), through: edge.nullable() }),
  z.object({
    edges: z.array(edge.extend({ version: z.int().min(0) })),
    /** The workspace's last change. As of it, no others exist. */
    last_change: z.int().min(0),
    /** The last one read where there are more; else null. */
    next: edge.nullable(),
  }),
  [],
  ['card'],
);
