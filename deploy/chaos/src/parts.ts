import type { Instance, Member, Nats, Postgres } from '@cardinal/servers';
import type { TcpProxy } from './proxies.ts';

/** The connection of one instance to one server. */
export interface Way {
  /** `card/bus`. The service itself keeps running when a fault hits it. */
  name: string;
  service: string;
  proxy: TcpProxy;
}

/** Everything that faults can hit. */
export interface Parts {
  instances: readonly Instance[];
  ways: { bus: readonly Way[]; database: readonly Way[] };
  postgres: Member<Postgres>;
  nats: Member<Nats>;
  /** URL of the services' database for a superuser. */
  adminUrl: string;
  /** Folders that the servers write to. Each is a disk of its own, unless `noDisk` has the reason why not. */
  disks: { postgres: string; nats: string };
  noDisk: string | undefined;
  /** A folder for files of faults, deleted with the run. Any user can enter it. */
  scratch: string;
}
