import * as contracts from '@cardinal/contracts';
import {
  type Adoption,
  CardinalError,
  conflict,
  type Document,
  documentOf,
  requireFound,
  type WorkstreamState,
} from '@cardinal/contracts';
import { answerCommand, appendChanges, changeOf, findCommand, type Outcome, replayOf } from '@cardinal/db';
import { failpoint } from '@cardinal/runtime';
import { Outdated, untilUpToDate } from '@cardinal/service';
import type { z } from 'zod';
import { toCard } from '../cards/queries.ts';
import { lowestTop } from '../cards/statements/create-cards.ts';
import { onCard } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import type { Tx } from '../database.ts';
import { eventOf } from '../events.ts';
import { lockLabels } from '../labels/labels.ts';
import { beginAdopting, writeRange } from '../numbers/ranges.ts';
import { unrecordedOfCards } from '../numbers/recorder.ts';
import { makeRoomOnTop } from '../positions/queries.ts';
import {
  type AdoptingWorkstream,
  candidateOf,
  decide,
  placeFromTop,
  refusalOfColumn,
  refused,
  type TargetColumn,
} from './decide.ts';
import { findColumns, findTaken, lockColumns, lockWorkstreams } from './queries.ts';
import { insertAdopted } from './statement.ts';

type Request = z.output<typeof contracts.adoptCards.request>;
type Prepared = z.output<typeof contracts.prepareAdoption.reply>;
type Outcomes = Outcome<Adoption[]>;

/**
 * The largest answer, bytes. It is below the limit of a bus message: an answer that is too large to send must not be
 * stored.
 */
const maxAnswerBytes = 1_000_000;

/** The state read before the transaction: the columns, the current epoch, and the ledger's answer. */
interface Preparation {
  columns: Map<string, TargetColumn>;
  epoch: number;
  /** The oid of the table `workstreams`. */
  table: number;
  prepared: Prepared;
}

/** Serves adoptions: batches of cards that keep their identifiers (CONTRACT 4.8; ADR 0058). */
export const serveAdoptions = (context: ServiceContext): void => {
  const { bus, db, lineage, recorder, feed } = context;

  const adoptNow = async (request: Request): Promise<Outcomes> => {
    const preparation = await prepare(context, request);
    const outcome = await db.transaction((tx) => adopt(context, tx, request, preparation));
    lineage.noteWrite();
    feed.nudge(request.workspace_id);
    return outcome;
  };

  bus.serve(contracts.adoptCards, async (request): Promise<Document<Outcomes>> => {
    const { workspace_id, command } = request;
    const before = await db.read((tx) => findCommand(tx, workspace_id, command));
    const outcome = before?.ended
      ? { resource: before.response as Adoption[], replayed: true }
      : await untilUpToDate(() => adoptNow(request));
    failpoint('after-commit');
    // The ledger gets the identifiers before the client gets the answer: after a rollback of this database, the ledger
    // still has the card of each number.
    const ids = outcome.resource.flatMap((one) => (one.data ? one.data.id : []));
    await recorder.deliver(await db.read((tx) => unrecordedOfCards(tx, workspace_id, ids)));
    return documentOf(outcome);
  });
};

/**
 * Asks the identifier service about the identifiers of a batch. Cards that their columns refuse are left out, so that
 * they raise no mark.
 * @throws CardinalError `not_found`, `conflict` where the workstream does not adopt
 */
const prepare = async ({ bus, db, lineage }: ServiceContext, request: Request): Promise<Preparation> => {
  const { workspace_id, workstream_id, body } = request;
  const ids = [...new Set(body.cards.map(({ column_id }) => column_id))];
  const columns = new Map((await db.read((tx) => findColumns(tx, request, ids))).map((one) => [one.id, one]));
  const accepted = body.cards.filter(({ column_id }) => !refusalOfColumn(columns.get(column_id)));
  const { epoch, table } = await lineage.met();
  const prepared = await bus.call(contracts.prepareAdoption, {
    workspace_id,
    workstream_id,
    epoch,
    numbers: accepted.map(({ number }) => number),
    former: [...new Set(accepted.flatMap(({ former = [] }) => former))],
  });
  if (prepared.epoch !== epoch) throw new Outdated(async () => lineage.forget());
  return { columns, epoch, table, prepared };
};

/**
 * Adopts a batch in one transaction. It locks in the order of all locks (README): columns, labels, workstreams,
 * commands.
 */
const adopt = async (
  context: ServiceContext,
  tx: Tx,
  request: Request,
  preparation: Preparation,
): Promise<Outcomes> => {
  const { workspace_id, workstream_id, body } = request;
  const { epoch, prepared } = preparation;
  if (context.lineage.current()?.epoch !== epoch) throw new Outdated();
  const columns = await holdColumns(tx, workspace_id, preparation.columns, body.cards.length);
  const labels = await lockLabels(tx, workspace_id, [
    ...new Set(body.cards.flatMap(({ label_ids = [] }) => label_ids)),
  ]);
  const adopting = await holdWorkstreams(context, tx, workspace_id, preparation);
  const now = context.now();
  const replay = await replayOf<Adoption[]>(tx, request, now);
  if (replay) return replay;
  const own = [...adopting.values()].find(({ id }) => id === workstream_id);
  if (!own) throw conflict('The workstream does not adopt');

  const candidates = body.cards.map((card) => candidateOf(card, workspace_id, own));
  const takenHere = await findTaken(
    tx,
    request,
    candidates.flatMap(({ identifiers }) => identifiers),
  );
  const taken = new Map(takenHere.map(({ identifier, card_id }) => [identifier, card_id]));
  // This database lost a card of the same id in a rollback, and the ledger still has it: the batch adopts the same card
  // again.
  const sameCards = new Set(candidates.flatMap(({ id, identifiers }) => identifiers.map((one) => `${one} ${id}`)));
  for (const { identifier, card_id } of prepared.recorded) {
    if (!taken.has(identifier) && !sameCards.has(`${identifier} ${card_id}`)) taken.set(identifier, null);
  }
  const decisions = decide(candidates, { caller: request, now, columns, labels, adopting, taken });
  const made = decisions.flatMap((decision) => ('card' in decision ? decision : []));
  const cards = placeFromTop(
    made.map(({ card }) => card),
    new Map([...columns.values()].map(({ id, top }) => [id, top])),
  );
  const issued = made.flatMap((one) => one.issued);
  if (cards.length > 0) {
    await insertAdopted.run(tx, [JSON.stringify(cards), JSON.stringify(issued), workspace_id]);
  }
  const placed = cards[Symbol.iterator]();
  const answers = decisions.map((decision, at): Adoption => {
    const identifier = candidates[at]?.identifier ?? '';
    if ('refusal' in decision) return refused(identifier, decision.refusal);
    return { identifier, status: 201, data: toCard(requireFound('Card', placed.next().value)) };
  });
  if (Buffer.byteLength(JSON.stringify(answers)) > maxAnswerBytes) {
    throw new CardinalError('payload_too_large', 'The cards of one request are too large together: send fewer at once');
  }
  const outcome = await answerCommand(tx, request, answers, now);
  const adopted = answers.flatMap(({ data }) => data ?? []);
  const events = adopted.map((data) => eventOf('card.created', request, now, { ...onCard(data), data }));
  await appendChanges(tx, workspace_id, events.map(changeOf));
  failpoint('before-commit');
  return outcome;
};

/**
 * Locks the columns of a batch and makes room for its cards on top of each. A column that was refused before it was
 * locked stays refused.
 * @param seen the columns that the caller sees, as read before the transaction
 * @param count the cards of the batch
 */
const holdColumns = async (tx: Tx, workspaceId: string, seen: Map<string, TargetColumn>, count: number) => {
  const lock = () => lockColumns(tx, workspaceId, [...seen.keys()]);
  let rows = await lock();
  const full = rows.filter(({ top }) => top - count < lowestTop);
  for (const { id } of full) await makeRoomOnTop(tx, workspaceId, id);
  if (full.length > 0) rows = await lock();
  const locked = new Map<string, TargetColumn & { top: number }>();
  for (const { id, top, archived_at } of rows) {
    const column = seen.get(id);
    if (column) locked.set(id, { ...column, top, archived_at: column.archived_at ?? archived_at });
  }
  return locked;
};

/** Locks the workstreams of a batch. @returns the workstreams that adopt, by prefix */
const holdWorkstreams = async (
  { db, lineage }: ServiceContext,
  tx: Tx,
  workspaceId: string,
  { epoch, table, prepared: { workstreams } }: Preparation,
): Promise<Map<string, AdoptingWorkstream>> => {
  const rows = await lockWorkstreams(
    tx,
    workspaceId,
    workstreams.map(({ id }) => id),
  );
  if (rows.some((row) => row.table !== table)) throw new Outdated(async () => lineage.forget());
  const isUnused = ({ id }: WorkstreamState) => {
    const row = rows.find((one) => one.id === id);
    return !row || (!row.adopting && !row.closed && row.adopted_through === null && row.granted_through === 0);
  };
  const unused = workstreams.filter(isUnused);
  if (unused.length > 0) {
    throw new Outdated(() =>
      db.statement(async (again) => {
        if (lineage.current()?.epoch === epoch) await writeRange(() => beginAdopting(again, workspaceId, unused));
      }),
    );
  }
  return new Map(rows.filter((row) => row.adopting && !row.closed).map((row) => [row.prefix, row]));
};
