export type { Transaction } from 'kysely';
export type { Migration } from 'kysely/migration';
export {
  answerCommand,
  type Claim,
  type CommandClaim,
  type CommandKey,
  claimCommands,
  type EndedCommand,
  endCommands,
  findCommand,
  type KnownCommand,
  type Outcome,
  purgeCommands,
  replayOf,
  runIdempotently,
} from './commands.ts';
export { checkDatabase, databaseProblem } from './connectivity.ts';
export { type Database, type DatabaseOptions, openDatabase, purge } from './database.ts';
export { deadLetter, deadLetterGauges } from './dead-letters.ts';
export { isUniqueViolation } from './errors.ts';
export { countUpTo, type SqlGauge, sqlGauges } from './gauges.ts';
export { type Migrations, migrate, missingMigrations } from './migrate.ts';
export { appendEvents, newEvent, outboxGauges } from './outbox.ts';
export { type Relay, type RelayOptions, startRelay } from './relay.ts';
export { countRows, newRow, readPageRows, resourceOf, rowsOf, type StoredAs } from './rows.ts';
export { type AnyTransaction, type PreparedStatement, prepared, type Reader, rowsFor } from './statements.ts';
export { createCommandLog, createInbox, createOutbox } from './tables.ts';
