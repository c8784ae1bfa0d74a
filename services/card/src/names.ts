import { sql } from 'kysely';

/** An SQL condition: the row has this name, after full case folding (`fold_case`). An index carries it. */
export const hasName = (name: string | undefined) => sql<boolean>`fold_case(name) = fold_case(${name})`;

/** What binds a cursor to the name that its list was narrowed by; nothing without one, as in former releases. */
export const nameIn = (name: string | undefined): string[] => (name === undefined ? [] : [`name ${name}`]);
