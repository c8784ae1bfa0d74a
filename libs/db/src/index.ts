export type { Transaction } from 'kysely';
export {
  appendChange,
  appendChanges,
  type Change,
  type ChangeDetails,
  changeOf,
  longestPrevious,
  notingParts,
} from './changes.ts';
export {
  answerCommand,
  findCommand,
  type Outcome,
  purgeCommands,
  replayOf,
  runIdempotently,
  withdrawCommand,
} from './commands.ts';
export { checkDatabase, databaseProblem } from './connectivity.ts';
export { type Database, type DatabaseOptions, openDatabase, purge } from './database.ts';
export { commitsWithoutDisk, durabilityGauges, readDurability } from './durability.ts';
export { isUniqueViolation } from './errors.ts';
export { concatenated, eventText, numberedEvent } from './event-text.ts';
export { countUpTo, type SqlGauge, sqlGauges } from './gauges.ts';
export { newInternalEvent, purgeInternalEvents, purgeOutbox } from './internal-events.ts';
export { type Migrations, migrate, missingMigrations } from './migrate.ts';
export { type AnyTransaction, type PreparedStatement, prepared, type Reader, rowsFor } from './pool.ts';
export { countRows, newRow, readPageRows, resourceOf, rowsOf, type StoredAs } from './rows.ts';
export {
  addLineageTime,
  createCommandLog,
  createDeadLetters,
  createFeed,
  createFollowedFeeds,
  createInternalEvents,
  createLineageTable,
  createOutbox,
} from './tables.ts';
