import { type RegisterName, registerNames } from '@cardinal/contracts';
import { DiscardPolicy, StorageType } from 'nats';
import type { Broker } from './broker.ts';
import { onBroker } from './connection.ts';
import { partsOf } from './names.ts';
import { declareStream } from './replicas.ts';

/** What the deploy step declares, as the broker's user `deploy`. */
interface Declaration extends Broker {
  /** Creates what is missing and leaves existing ones alone. */
  onlyMissing?: boolean;
}

/**
 * The deploy step for the broker: creates the registers, or brings existing ones up to date. Safe to repeat.
 * @returns the names of what it created
 */
export const declareRegisters = ({ url, ca, onlyMissing = false }: Declaration): Promise<string[]> =>
  onBroker({ url, ca }, { name: 'cardinal-deploy' }, async (nats) => {
    const manager = await nats.jetstreamManager();
    const made: string[] = [];
    for (const name of registerNames) {
      const config = bucket(name);
      if (await declareStream(manager, config, { onlyMissing })) made.push(config.name);
    }
    return made;
  });

/**
 * As NATS makes a key-value bucket with one value a key (ADR-8 of NATS). Nothing is ever dropped from it, and nothing is
 * read from a replica. Without rollups, a user who may write a key can empty nothing else.
 */
const bucket = (name: RegisterName) => ({
  name: partsOf(name).stream,
  subjects: [partsOf(name).subjects],
  storage: StorageType.File,
  max_msgs_per_subject: 1,
  discard: DiscardPolicy.New,
  deny_delete: true,
  allow_direct: false,
});
