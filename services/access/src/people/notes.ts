import { notePeople, type Visitor } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { type PersonRow, people, type Tx } from '../context.ts';
import type { PeopleContext } from './people.ts';
import { holderOf, insertPerson, isEmailTaken, type Naming, updatePerson } from './rows.ts';

/** Moves `last_seen` by so much at least, and so bounds the writes of people who are always there. */
const leastPause = "interval '5 minutes'";

/**
 * $1 workspaces, $2 users, $3 names, $4 addresses, $5 when the tokens were issued, $6 times. Returns the places, from 1, of those who are not known by these
 * claims yet; of the others it notes when they came.
 */
const noteVisits = prepared<{ place: number }>(
  'note-visits',
  `with visits as (
  select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[])
    with ordinality as visit (workspace_id, id, name, email, issued_at, at, place)
), known as (
  select place from visits join people using (workspace_id, id)
  where first_seen is not null and (erased_at is not null or visits.issued_at < claimed_at
    or coalesce(visits.name, claimed_name) is not distinct from claimed_name
    and coalesce(visits.email, claimed_email) is not distinct from claimed_email)
), noted as (
  update people set last_seen = visits.at from visits
  where people.workspace_id = visits.workspace_id and people.id = visits.id and first_seen is not null
    and (last_seen is null or last_seen < visits.at - ${leastPause})
)
select place::integer from visits where place not in (select place from known)`,
);

/** What a visit changes of a person: claims count when they change, and never for one who was erased. */
const changesBy = (visit: Visitor, known: PersonRow | undefined): Naming => {
  const seen = { first_seen: known?.first_seen ?? new Date(visit.at), last_seen: new Date(visit.at) };
  const isEarlier = visit.issued_at !== null && known?.claimed_at && new Date(visit.issued_at) < known.claimed_at;
  if (known?.erased_at || isEarlier) return seen;
  const isNew = (claim: string | null, former: string | null | undefined) => claim !== null && claim !== former;
  const { name, email } = visit;
  return {
    ...seen,
    ...(isNew(name, known?.claimed_name) && { name, claimed_name: name }),
    ...(isNew(email, known?.claimed_email) && { email, claimed_email: email }),
    // Whose token has a name is no machine, unless somebody says so later.
    ...(known?.claimed_name === null && known.claimed_email === null && (name ?? email) !== null
      ? { kind: 'person' as const }
      : {}),
  };
};

const withoutEmail = ({ email: _, claimed_email: __, ...rest }: Naming): Naming => rest;

/** Serves the notes of gateways on who came (CONTRACT 14.2). */
export const serveNotes = ({ bus, db, now, logger, erasures, noteWrite }: PeopleContext): void => {
  type Erasure = Awaited<ReturnType<typeof erasures.of>>;
  const noteIn = async (tx: Tx, visit: Visitor, erasure: Erasure, takesEmail: boolean): Promise<void> => {
    const { workspace_id, user_id: id } = visit;
    const row = await people.lock(tx, workspace_id, id);
    let changes = changesBy(erasure && !row ? { ...visit, name: null, email: null } : visit, row);
    const holder = changes.email ? await holderOf(tx, workspace_id, changes.email) : undefined;
    if (!takesEmail || (holder !== undefined && holder !== id)) changes = withoutEmail(changes);
    const isClaimed = changes.claimed_name !== undefined || changes.claimed_email !== undefined;
    if (isClaimed) changes.claimed_at = visit.issued_at === null ? null : new Date(visit.issued_at);
    if (!row) {
      await insertPerson(tx, { ...changes, kind: 'person', workspace_id, id }, erasure, now());
      return;
    }
    const { first_seen, last_seen, ...naming } = changes;
    await updatePerson(tx, row, naming, now());
    // No part of the version.
    const one = tx.updateTable('people').where('workspace_id', '=', workspace_id).where('id', '=', id);
    await one.set({ first_seen: first_seen ?? null, last_seen: last_seen ?? null }).execute();
  };

  /** Notes one who is not known so far. An address that another person has is left out. */
  const note = async (visit: Visitor): Promise<void> => {
    const { workspace_id, user_id: id } = visit;
    const isKnown = (await db.read((tx) => people.find(tx, workspace_id, id))) !== undefined;
    const erasure = isKnown ? undefined : await erasures.of({ workspace_id, id });
    const write = (takesEmail: boolean) => db.transaction((tx) => noteIn(tx, visit, erasure, takesEmail));
    await write(true).catch((error) => {
      if (!isEmailTaken(error)) throw error;
      return write(false);
    });
  };

  bus.serve(notePeople, async ({ people: visits }) => {
    await erasures.upToDate();
    const columns = [
      visits.map(({ workspace_id }) => workspace_id),
      visits.map(({ user_id }) => user_id),
      visits.map(({ name }) => name),
      visits.map(({ email }) => email),
      visits.map(({ issued_at }) => issued_at),
      visits.map(({ at }) => at),
    ];
    const unknown = await db.statement((tx) => noteVisits.run(tx, columns));
    for (const { place } of unknown) {
      const visit = visits[place - 1];
      if (visit) await note(visit);
    }
    if (unknown.length > 0) noteWrite();
    logger.debug({ visits: visits.length, unknown: unknown.length }, 'who came was noted');
    return {};
  });
};
