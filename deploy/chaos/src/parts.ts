import type { Instance, Member, Nats, Postgres } from '@cardinal/servers';
import type { TcpProxy } from './proxies.ts';

/** The way of one instance to one server. */
export interface Way {
  /** `card/bus`; a service hit there keeps running. */
  name: string;
  service: string;
  proxy: TcpProxy;
}

/** Everything that faults can hit where the system is processes of this machine. */
export interface Parts {
  instances: readonly Instance[];
  ways: { bus: readonly Way[]; database: readonly Way[] };
  postgres: Member<Postgres>;
  nats: Member<Nats>;
  /** Superuser in the services' database. */
  adminUrl: string;
  /** Folders that the servers write to, each a disk of its own unless `noDisk` says why not. */
  disks: { postgres: string; nats: string };
  noDisk: string | undefined;
  /** A folder for what faults need, gone with the run. Any user can enter it. */
  scratch: string;
}
