import { type Kysely, sql } from 'kysely';
import folding from './case-folding.json' with { type: 'json' };

/**
 * Titles as they are searched: full case folding (Unicode, CaseFolding.txt, C and F), which no version of Postgres before
 * 18 has. The mapping is of Unicode 16. In PL/pgSQL, because a session then reads the mapping once and not with every
 * statement; what is ASCII alone does not need it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function fold_case(value text) returns text language plpgsql immutable strict parallel safe as ${sql.lit(`
    begin
      if octet_length(value) = char_length(value) then
        return lower(value collate "C");
      end if;
      return (
        select string_agg(coalesce('${JSON.stringify(folding)}'::jsonb ->> one.spelling, one.spelling), '' order by one.place)
        from string_to_table(value, null) with ordinality as one (spelling, place)
      );
    end`)}`.execute(db);
  await sql`alter table cards add column title_folded text not null generated always as (fold_case(title)) stored`.execute(
    db,
  );
}
