import { onRegister, type Register } from '@cardinal/bus';
import {
  isUnacknowledged,
  lineageKeyOf,
  lineage as lineageSchema,
  type Mark,
  mark,
  markKey,
  registerOf,
  type WitnessedDatabase,
  witnessedDatabases,
} from '@cardinal/contracts';
import { sql } from 'kysely';
import { maxDifferences } from '../compare.ts';
import type { Check, Difference } from '../examine.ts';
import type { Sources } from '../sources.ts';

type Broker = Parameters<typeof onRegister>[0];

interface Row {
  workspace_id: string;
  prefix: string;
  id: string;
  /** The furthest number that was granted or adopted. */
  furthest: number;
  adopting: boolean;
  /** Whether numbers were granted: none may be adopted any more. */
  granted: boolean;
  epoch: number;
  epoch_base: number;
}

/** One database of each lineage: card and identifier share theirs. */
const lineages = ['identifier', 'event', 'access'] as const satisfies WitnessedDatabase[];

const onLineage = async <Result>(
  broker: Broker,
  database: WitnessedDatabase,
  work: (read: Awaited<ReturnType<typeof readLineage>>, register: Register) => Result | Promise<Result>,
): Promise<Result> =>
  onRegister(broker, async (register) => work(await readLineage(register, database), register), registerOf(database));
const readLineage = async (register: Register, database: WitnessedDatabase) => {
  const { value: known, revision } = await register.read(lineageKeyOf(database), lineageSchema);
  return { known, revision };
};

const nameOf = (state: { identity: string; tick: number }) => `${state.identity} tick ${state.tick}`;

/** The rollbacks in the register, one line each: database, time, state before and after, margin. */
export const rollbacksOf = async (broker: Broker): Promise<string[]> => {
  const rollbacks = lineages.map((database) => onLineage(broker, database, ({ known }) => known?.falls ?? []));
  return (await Promise.all(rollbacks)).flat().map(({ database, at, epoch, from, to, margin }) => {
    const unknown =
      database === 'access'
        ? '; nobody knows which API keys were revoked since'
        : `; numbers skipped a margin of up to ${margin}`;
    const behind = margin === null ? '' : unknown;
    const before = margin !== null && nameOf(from) === nameOf(to) ? 'no witness' : nameOf(from);
    return `${database} at ${at}, epoch ${epoch} since: from ${before} to ${nameOf(to)}${behind}`;
  });
};

/** The name of the rule in the report. */
export const acknowledged = 'an operator has acknowledged every skipped margin and every loss of revocations';

/** What was not acknowledged: margins of identifiers and of logs, API keys that may be valid again; a line for each. */
export const unacknowledgedOf = async (broker: Broker): Promise<string[]> => {
  const lines = lineages.map((database) =>
    onLineage(broker, database, ({ known }) => {
      if (!known || !isUnacknowledged(known)) return [];
      if (database === 'access') {
        return [
          `nobody knows which API keys were revoked before ${known.unknown_since}, and they may be valid again: a restore, or ` +
            `a broker that lost its store. To revoke all of them: --revoke-keys-before ${known.unknown_since}; then: --acknowledge`,
        ];
      }
      const margin = Math.max(0, ...known.falls.map((rollback) => rollback.margin ?? 0));
      const what = database === 'event' ? 'logs' : 'workstreams';
      return [
        `${what} skipped a margin of up to ${margin} at ${known.unknown_since}: a restore, or a broker that lost its ` +
          `store. Where more may have been given out: --advance; otherwise: --acknowledge`,
      ];
    }),
  );
  return (await Promise.all(lines)).flat();
};

/** Stores the acknowledgement: metric, alert and doctor are silent about the margin from then on. */
export const acknowledge = async (broker: Broker): Promise<void> => {
  for (const database of lineages) {
    const isDone = await onLineage(broker, database, async ({ known, revision }, register) => {
      if (!known || !isUnacknowledged(known)) return true;
      const value = { ...known, acknowledged_at: new Date().toISOString() };
      return (await register.write(lineageKeyOf(database), value, revision)) !== undefined;
    });
    if (!isDone) return acknowledge(broker);
  }
};

/** What the register must have when a database is rolled back (ADR 0042). */
export const registerChecks = (broker: Broker): readonly Check[] => [
  {
    name: 'the register has a witness of each database, and no earlier epoch',
    look: async (sources) => {
      const looks = witnessedDatabases.map(async (service): Promise<Difference[]> => {
        const known = await onLineage(broker, service, (read) => read.known);
        const table = sql.table(`${service}.lineage`);
        const [row] = await sources.read(service, sql<{ epoch: number }>`select epoch from ${table}`);
        const reached = row?.epoch ?? 0;
        return [
          ...(known?.witnesses[service]
            ? []
            : [{ what: `${service}: no witness; its service writes it when it runs` }]),
          ...(known && known.epoch < reached
            ? [{ what: `${service}: the register is at epoch ${known.epoch}, the database at ${reached}` }]
            : []),
        ];
      });
      return (await Promise.all(looks)).flat();
    },
  },
  {
    name: 'the register has a mark for every number that was granted or adopted',
    look: (sources) => onRegister(broker, (register) => marksBehind(broker, register, sources)),
  },
];

const marksBehind = async (broker: Broker, register: Register, sources: Sources): Promise<Difference[]> => {
  const rows = await sources.read(
    'identifier',
    sql<Row>`
      select workspace_id, prefix, id, furthest::float8, epoch, epoch_base::float8,
        adopting, not adopting and granted_through > adopted_through as granted
      from identifier.workstreams
      cross join lateral (
        select greatest(granted_through, adopted_through, case when adopting then (
          select max(number) from identifier.identifiers as recorded
          where recorded.workspace_id = workstreams.workspace_id and recorded.prefix = workstreams.prefix
        ) end) as furthest
      ) as known
      where furthest > 0`,
  );
  const found: Difference[] = [];
  for (const row of rows) {
    const { value: known } = await register.read(markKey(row.workspace_id, row.prefix), mark);
    if (known && !isBehind(known, row)) continue;
    const key = `${row.workspace_id}/${row.prefix}`;
    const marked = known ? `${known.through}${known.adopting ? ', as adopting' : ''}` : 'never';
    const what = `${key}: ${row.granted ? 'granted' : 'adopted'} through ${row.furthest}, marked ${marked}`;
    found.push({ key, what, repair: () => onRegister(broker, (open) => raise(open, row)) });
    if (found.length >= maxDifferences) break;
  }
  return found;
};

/** The mark also records that adoption has ended, in case a rollback of the database loses it. */
const isBehind = ({ through, adopting }: Mark, row: Row): boolean =>
  through < row.furthest || (adopting && row.granted);

/** Writes only if the value has not changed since (compare-and-set). */
const raise = async (register: Register, row: Row): Promise<void> => {
  const key = markKey(row.workspace_id, row.prefix);
  const { value: known, revision } = await register.read(key, mark);
  if (known && !isBehind(known, row)) return;
  const later = known && known.epoch > row.epoch ? known : row;
  await register.write(
    key,
    mark.parse({
      through: Math.max(row.furthest, known?.through ?? 0),
      adopting: known ? known.adopting && !row.granted : row.adopting,
      epoch: later.epoch,
      epoch_base: later.epoch_base,
      workstream_id: known?.workstream_id ?? row.id,
    }),
    revision,
  );
};
