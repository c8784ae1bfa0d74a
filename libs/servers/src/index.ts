export { declareRegisters } from '@cardinal/bus';
export { freePort, hereHost, publicHost, urlOf, whyNotFree } from './addresses.ts';
export { buildBefore, hasService, releaseBefore } from './builds.ts';
export {
  ConfigError,
  compileCache,
  inheritedEnvironment,
  repository,
  searchPath,
  stateFolder,
  variablesOf,
} from './config.ts';
export {
  createFile,
  ensurePasswords,
  notOurs,
  readIfThere,
  readLog,
  replaceFile,
  rotateLog,
  rotateOpenLog,
  sizeOf,
} from './files.ts';
export { serveHttp } from './http.ts';
export { ensureKeys, type TokenRequest, tokenAudience, tokenIssuer } from './keys.ts';
export { noteFolder, noteProcesses, startRun } from './leftovers.ts';
export { natsBinary } from './nats/binary.ts';
export { lastStartedNats, type Nats, startNats } from './nats/server.ts';
export { type BusUser, containerConfig, passwordVariable } from './nats/server-config.ts';
export { postgresClient, type RunPostgresClient } from './postgres/client-programs.ts';
export { copyCluster, promoteStandby, signalRecovery } from './postgres/copy.ts';
export { hasCluster } from './postgres/folders.ts';
export { ensureDatabase, ensureRoles, inDatabase, runStatements } from './postgres/roles.ts';
export { ownDatabaseName, type Postgres, runningPostgres, startPostgres } from './postgres/server.ts';
export { type Child, commandOf, type Exit, endProcess, identityOf, onSpawn, startChild, waitFor } from './process.ts';
export { provision } from './provision.ts';
export {
  allServices,
  configSchemas,
  migrateHere,
  migrateService,
  readiness,
  type Service,
  ServiceFailure,
  serviceEnvironment,
  startService,
} from './service.ts';
export type { Change, Member } from './stack/member.ts';
export {
  createStack,
  ensureOperatorKey,
  type Instance,
  type InstanceName,
  type MemberName,
  type Stack,
} from './stack/stack.ts';
