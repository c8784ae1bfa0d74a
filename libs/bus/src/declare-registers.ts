import { hasEnds, type RegisterName, registerNames } from '@cardinal/contracts';
import { DiscardPolicy, StorageType } from 'nats';
import type { Broker } from './broker.ts';
import { onBroker } from './connection.ts';
import { partsOf } from './names.ts';
import { declareStream } from './replicas.ts';

/** Options of the deploy step; the URL has the user `deploy`. */
interface Declaration extends Broker {
  /** Creates missing registers and leaves existing ones alone. */
  onlyMissing?: boolean;
}

/**
 * Creates the registers, or updates existing ones: the deploy step of the broker. It is safe to repeat.
 * @returns the names of the created registers
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
 * A key-value bucket with one value per key, as NATS defines it (ADR-8 of NATS). It never drops entries and is never
 * read from a replica. Without rollups, a user that may write one key cannot delete others.
 */
const bucket = (name: RegisterName) => ({
  name: partsOf(name).stream,
  subjects: [partsOf(name).subjects],
  storage: StorageType.File,
  max_msgs_per_subject: 1,
  discard: DiscardPolicy.New,
  deny_delete: true,
  allow_direct: false,
  ...(hasEnds(name) && { allow_msg_ttl: true }),
});
