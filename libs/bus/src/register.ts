import { unavailable } from '@cardinal/contracts';
import { type JetStreamManager, NatsError } from 'nats';
import type { Connection } from './connection.ts';
import { register } from './names.ts';

const timeoutMs = 3_000;
/** Codes of JetStream's API (server/errors.json). */
const messageNotFound = 10_037;
const wrongLastSequence = 10_071;

const codeOf = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;

/** What the register has under a key; revision 0 and no value where it has nothing. */
export interface RegisterEntry {
  value?: unknown;
  revision: number;
}

/** Reads and writes the register. */
export type Register = ReturnType<typeof openRegister>;

/**
 * Opens the register, a JetStream key-value bucket that outlives the databases (architecture, "Lineage"). It is read from
 * its leader, never by direct get: what a replica has may be older. nats.js' own `kv` asks the broker for more rights
 * than a service has (libs/bus/src/access.ts).
 */
export const openRegister = ({ nats, assertUp }: Pick<Connection, 'nats' | 'assertUp'>) => {
  let manager: JetStreamManager | undefined;
  const stream = nats.jetstream({ timeout: timeoutMs });
  const asUnavailable = (error: unknown) =>
    error instanceof NatsError ? unavailable(`The register cannot be reached: ${error.message}`, error) : error;

  return {
    /** @throws CardinalError `unavailable` where the broker or the bucket is not there */
    async read(key: string): Promise<RegisterEntry> {
      assertUp();
      try {
        manager ??= await nats.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
        const message = await manager.streams.getMessage(register.stream, { last_by_subj: register.subjectOf(key) });
        // A deletion is a message too, without data.
        return { ...(message.data.length > 0 && { value: message.json() }), revision: message.seq };
      } catch (error) {
        if (codeOf(error) === messageNotFound) return { revision: 0 };
        throw asUnavailable(error);
      }
    },
    /**
     * Writes a value where the key still has this revision.
     * @param value anything that JSON can hold
     * @param revision as `read` returned it
     * @returns the new revision; undefined where somebody else wrote meanwhile, and nothing was written
     * @throws CardinalError `unavailable` as `read`; the value may have been written all the same
     */
    async write(key: string, value: unknown, revision: number): Promise<number | undefined> {
      assertUp();
      try {
        const expect = { lastSubjectSequence: revision };
        const { seq } = await stream.publish(register.subjectOf(key), JSON.stringify(value), { expect });
        return seq;
      } catch (error) {
        if (codeOf(error) === wrongLastSequence) return undefined;
        throw asUnavailable(error);
      }
    },
  };
};
