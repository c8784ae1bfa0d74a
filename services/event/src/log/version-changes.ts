import { setTimeout as pause } from 'node:timers/promises';
import * as contracts from '@cardinal/contracts';
import {
  type Caller,
  type EventType,
  maxVersionChanges,
  type VersionChange,
  versionChangesWaitMs,
} from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { currentContext } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Reader, ServiceContext } from '../context.ts';
import { createSees } from './sees.ts';

type Request = z.output<typeof contracts.listVersionChanges.request>;
type Reply = z.output<typeof contracts.listVersionChanges.reply>;
type Subject = Request['subject'];

/** An event that made a version of the resource. `version` is null where it is that of a part of the resource. */
export type Step = Omit<VersionChange, 'version'> & { version: number | null };
type StepRow = Step & { board_id: string | null };

/** The fields of a card that events of its parts change. */
const counted: Partial<Record<EventType, readonly string[]>> = {
  'comment.created': ['comment_count'],
  'comment.deleted': ['comment_count'],
  'subtask.created': ['subtask_total'],
  'subtask.updated': ['subtask_completed'],
  'subtask.deleted': ['subtask_total', 'subtask_completed'],
};

/** Other names that a PATCH has for a field: a writer compares the changed fields with those of its patch. */
const writtenAs: Readonly<Record<string, readonly string[]>> = {
  completed_at: ['completed'],
  workstream: ['workstream_id'],
};
const placesOfSubtask = ['before_subtask_id', 'after_subtask_id'];

const changedBy = ({ type, version, changed }: Step): string[] => {
  if (version === null) return [...(counted[type] ?? [])];
  const others = changed.flatMap((field) => writtenAs[field] ?? []);
  const isPlaced = type === 'subtask.updated' && changed.includes('position');
  return [...changed, ...others, ...(isPlaced ? placesOfSubtask : [])];
};

/** Most events of a part of the log that are looked at, and the pause between two looks at a log that is behind, ms. */
const [maxLooked, pollMs] = [1_000, 20];
/** What an answer needs on its way to the asker, ms. */
const answerMs = 20;

/**
 * The newest events that made versions of a resource, since the last rollback: versions before it may have been given again. $1
 * the workspace, $2 the card or board whose part of the log it is in, $3 the resource, $4 limit.
 * @param condition of that part of the log
 * @param ofParts condition of the events of parts that change the resource too
 */
const statementOf = (kind: string, condition: string, ofParts = 'false') =>
  prepared<StepRow>(
    `read-versions-of-${kind}`,
    `select type, board_id, event->>'at' as at, event->'actor'->>'user_id' as user_id, event->'changed' as changed,
  case when event->'subject'->>'id' = $3 then (event->'subject'->>'version')::integer end as version
from (
  select seq, type, board_id, event from events
  where workspace_id = $1 and ${condition} and seq > coalesce((
    select max(seq) from events where workspace_id = $1 and type = 'feed.reset'), 0)
  order by seq desc limit ${maxLooked}) as part
where event->'subject'->>'id' = $3 or ${ofParts}
order by seq desc limit $4`,
  );
const onCard = 'card_id = $2::uuid';
const statements = {
  card: statementOf(
    'card',
    onCard,
    `type = any ('{${Object.keys(counted)}}')
  and (type <> 'subtask.updated' or (event->'changed')::jsonb ? 'completed_at')`,
  ),
  partOfCard: statementOf('part-of-card', onCard),
  board: statementOf('board', 'card_id is null and board_id = $2::uuid'),
  workspace: statementOf('workspace', 'card_id is null and board_id is null and $2::uuid is null'),
};

const partOf = ({ type, id, within }: Subject): [kind: keyof typeof statements, of: string | null] => {
  if (type === 'label' || type === 'workstream') return ['workspace', null];
  if (type === 'board' || type === 'column') return ['board', within ?? id];
  return type === 'card' ? ['card', id] : ['partOfCard', within];
};

const readSteps = (db: Reader, workspaceId: string, subject: Subject, limit: number): Promise<StepRow[]> => {
  const [kind, of] = partOf(subject);
  return statements[kind].run(db, [workspaceId, of, subject.id, limit]);
};

/**
 * Numbers the steps that have no version: each makes the version after that of the step before it.
 * @param steps newest first
 * @returns oldest first; nothing where no step has a version
 */
const numbered = (steps: readonly Step[]): VersionChange[] => {
  const oldestFirst = steps.toReversed();
  const first = oldestFirst.findIndex(({ version }) => version !== null);
  let last = (oldestFirst[first]?.version ?? 0) - first - 1;
  if (first < 0 || last < 0) return [];
  return oldestFirst.map((step) => {
    last = step.version ?? last + 1;
    return { ...step, version: last, changed: changedBy(step) };
  });
};

/**
 * Finds what made each version after `after` up to `until`.
 * @param steps newest first
 * @returns `isBehind` where the last of them is not there: the log may have it soon
 */
export const versionChangesOf = (
  steps: readonly Step[],
  { after, until }: Pick<Request, 'after' | 'until'>,
): Reply & { isBehind: boolean } => {
  const changes: VersionChange[] = [];
  let next = until;
  let complete = until - after <= maxVersionChanges;
  for (const change of numbered(steps).reverse()) {
    // Newer than the 412, or of a state that a rollback undid.
    if (change.version > next) continue;
    if (change.version <= after || changes.length === maxVersionChanges) break;
    if (change.version < next) complete = false;
    changes.push(change);
    next = change.version - 1;
  }
  const isBehind = changes[0]?.version !== until;
  return { changes: changes.reverse(), complete: complete && next === after, isBehind };
};

/** Serves the changes that a 412 names. */
export const serveVersionChanges = ({ bus, db }: Pick<ServiceContext, 'bus' | 'db'>): void => {
  const sees = createSees(bus);

  const visible = async (caller: Caller, steps: readonly StepRow[]): Promise<Step[]> => {
    const boards = [...new Set(steps.flatMap(({ board_id }) => (board_id === null ? [] : [board_id])))];
    const seen = boards.length > 0 ? await sees(caller, boards) : new Set();
    return steps.flatMap(({ board_id, ...step }) => (board_id === null || seen.has(board_id) ? [step] : []));
  };

  bus.serve(contracts.listVersionChanges, async ({ subject, after, until, ...caller }) => {
    // Also some that are newer than the 412, and one with a version before them.
    const limit = Math.min(Math.max(until - after, 0), maxVersionChanges) + 20;
    const deadline = Math.min(
      currentContext()?.deadline ?? Number.POSITIVE_INFINITY,
      Date.now() + versionChangesWaitMs,
    );
    for (;;) {
      const rows = await db.read((tx) => readSteps(tx, caller.workspace_id, subject, limit));
      const steps = await visible(caller, rows);
      const { isBehind, ...found } = versionChangesOf(steps, { after, until });
      if (!isBehind || deadline - Date.now() < pollMs + answerMs) return found;
      await pause(pollMs);
    }
  });
};
