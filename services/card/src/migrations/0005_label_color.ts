import { type Kysely, sql } from 'kysely';

/**
 * The color of a label gets the name that the API gives it (ADR "What hangs on cards: bounds, roles, places"). Stored
 * answers are renamed too: a client that sends a request again is answered in the words of the present contract.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table labels rename column colour to color`.execute(db);
  await sql`
    update commands
    set response = response - 'colour' || jsonb_build_object('color', response -> 'colour')
    where response ->> 'type' = 'label' and response ? 'colour'`.execute(db);
}
