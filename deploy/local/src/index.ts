export { ConfigError, type LocalConfig, repository, searchPath } from './config.ts';
export { type DevelopmentKeys, ensureKeys, type TokenRequest, tokenAudience, tokenIssuer } from './keys.ts';
export { natsBinary } from './nats/binary.ts';
export { serverConfig } from './nats/server-config.ts';
export { type Nats, type NatsOptions, startNats } from './nats/start.ts';
export { type BusUser, busUsers } from './nats/users.ts';
export { runStatements } from './postgres/admin.ts';
export { ensureDatabase, ensureExtensions, ensureRole, ensureSchema, inDatabase } from './postgres/roles.ts';
export { type Postgres, type PostgresOptions, startPostgres } from './postgres/start.ts';
export { type Child, type Exit, onSpawn, startChild } from './processes/child.ts';
export { freePort } from './processes/free-port.ts';
export { commandOf } from './processes/identity.ts';
export { waitFor } from './processes/wait.ts';
export { filesEnvironment, gatewayEnvironment, serviceEnvironment } from './services/environment.ts';
export { ServiceFailure } from './services/failure.ts';
export { migrateService } from './services/migrate.ts';
export {
  type DatabaseOwner,
  databaseOwners,
  type Provisioned,
  type ProvisionOptions,
  provision,
} from './services/provision.ts';
export { type Service, type ServiceOptions, startService } from './services/start.ts';
export { declareBusStreams } from './services/streams.ts';
export { demoScope, demoUser, demoWorkspace, ensureDemo } from './start/demo.ts';
export { say } from './start/say.ts';
