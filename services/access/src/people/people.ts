import * as contracts from '@cardinal/contracts';
import { CardinalError, conflict, type Person, requireFound } from '@cardinal/contracts';
import { answerCommand, type Outcome, replayOf } from '@cardinal/db';
import { Outdated, runWrite, untilUpToDate } from '@cardinal/service';
import { v7 } from 'uuid';
import { type PersonRow, people, type ServiceContext, type Tx } from '../context.ts';
import { type Erasures, erase } from './erasures.ts';
import { readPeople } from './list.ts';
import { holderOf, insertPerson, isEmailTaken, toPerson, updatePerson } from './rows.ts';

export interface PeopleContext extends ServiceContext {
  erasures: Erasures;
  /** Called after a commit that a rollback must not hide. */
  noteWrite: () => void;
  /** The same, and waits until the lineage would show that the commit was lost. */
  witnessWrite: () => Promise<void>;
}

const emailTaken = (holder?: string): CardinalError =>
  conflict(`Another person${holder === undefined ? '' : `, ${holder},`} has this e-mail address`);

/** Serves the operations on people (CONTRACT 14). */
export const servePeople = (context: PeopleContext): void => {
  const { bus, db, now, erasures, noteWrite, witnessWrite } = context;

  const find = async (workspaceId: string, id: string): Promise<PersonRow> =>
    requireFound('Person', await db.read((tx) => people.find(tx, workspaceId, id)));

  /** @throws CardinalError `conflict` where another person has the address */
  const checkEmail = async (tx: Tx, workspaceId: string, id: string, email: string | null | undefined) => {
    const holder = email ? await holderOf(tx, workspaceId, email) : undefined;
    if (holder !== undefined && holder !== id) throw emailTaken(holder);
  };

  /** No name is kept for replays: they show the person as they are now. */
  const presented = async (
    workspaceId: string,
    { resource: { id }, replayed }: Outcome<{ id: string }>,
    written: PersonRow | undefined,
  ): Promise<Outcome<Person>> => ({
    resource: toPerson(replayed || !written ? await find(workspaceId, id) : written),
    replayed,
  });

  const unlessTaken = async <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      throw isEmailTaken(error) ? emailTaken() : error;
    });

  bus.serve(contracts.addPerson, async (request) => {
    const { workspace_id, body } = request;
    const { user_id: id = v7(), ...given } = body;
    await erasures.upToDate();
    const erasure = body.user_id === undefined ? undefined : await erasures.of({ workspace_id, id });
    let added: PersonRow | undefined;
    const adding = db.transaction(async (tx) => {
      const replay = await replayOf<{ id: string }>(tx, request, now());
      if (replay) return replay;
      await checkEmail(tx, workspace_id, id, given.email);
      added = await insertPerson(tx, { workspace_id, id, ...given }, erasure, now());
      if (!added) throw conflict(`The person ${id} is known already; edit them instead`);
      return answerCommand(tx, request, { id }, now());
    });
    const outcome = await unlessTaken(adding);
    noteWrite();
    return presented(workspace_id, outcome, added);
  });

  bus.serve(contracts.listPeople, async (request) => {
    await erasures.upToDate();
    return readPeople(context, request);
  });

  bus.serve(contracts.getPerson, async ({ workspace_id, person_id }) => {
    await erasures.upToDate();
    return toPerson(await find(workspace_id, person_id));
  });

  bus.serve(contracts.patchPerson, async (request) => {
    const { workspace_id, user_id, person_id, is_admin, body } = request;
    await erasures.upToDate();
    let changed: PersonRow | undefined;
    const writing = runWrite(context, request, {
      what: 'Person',
      lock: (tx) => people.lock(tx, workspace_id, person_id),
      permit: async () => {
        if (!is_admin && user_id !== person_id)
          throw new CardinalError('insufficient_scope', 'Another person is edited with the scope kanban:admin');
        if (!is_admin && body.kind !== undefined)
          throw new CardinalError('insufficient_scope', 'The kind is changed with the scope kanban:admin');
      },
      write: async (tx, row, moment) => {
        await checkEmail(tx, workspace_id, person_id, body.email);
        changed = await updatePerson(tx, row, body, moment);
        return { id: person_id };
      },
      event: () => undefined,
    });
    const outcome = await unlessTaken(writing);
    noteWrite();
    return presented(workspace_id, outcome, changed);
  });

  bus.serve(contracts.erasePerson, async ({ workspace_id, person_id: id }) => {
    await erasures.upToDate();
    await untilUpToDate(async () => {
      const row = await find(workspace_id, id);
      const named = [row.name, row.email, row.claimed_name, row.claimed_email];
      if (row.erased_at && named.every((one) => one === null)) return;
      const one = { version: row.version + 1, at: now().toISOString() };
      await erasures.record({ workspace_id, id }, one);
      await db.transaction(async (tx) => {
        const locked = await people.lock(tx, workspace_id, id);
        if (locked?.version !== row.version) throw new Outdated();
        await erase(tx, { workspace_id, id }, one);
      });
    });
    await witnessWrite();
    return { deleted: true } as const;
  });
};
