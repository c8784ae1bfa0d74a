import { setTimeout as pause } from 'node:timers/promises';
import { type RegisterName, unavailable } from '@cardinal/contracts';
import { currentContext, type Logger } from '@cardinal/runtime';
import { ErrorCode, type JetStreamManager, NatsError, type StoredMsg } from 'nats';
import type { z } from 'zod';
import { apiCodeOf, apiCodes } from './api-errors.ts';
import type { Broker } from './broker.ts';
import { type Connection, onBroker } from './connection.ts';
import { partsOf } from './names.ts';

/** How long one try may take, ms, and all of them: a leader that is lost is replaced within seconds. */
const [timeoutMs, patienceMs] = [1_000, 15_000];
const pauseMs = 100;

/** The bucket has no leader at the moment, or the connection is being restored. */
const isPassing = (error: unknown): boolean =>
  error instanceof NatsError && [ErrorCode.Timeout, ErrorCode.NoResponders].includes(error.code as ErrorCode);

/**
 * Retries until the register answers, the time is up or the request's deadline would pass. Only for what is safe to
 * repeat.
 */
const patiently = async <T>(attempt: () => Promise<T>): Promise<T> => {
  const until = Math.min(Date.now() + patienceMs, currentContext()?.deadline ?? Number.POSITIVE_INFINITY);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || Date.now() + pauseMs + timeoutMs > until) throw error;
      await pause(pauseMs);
    }
  }
};

/**
 * What a register has under a key; revision 0 and no value where it has nothing. What cannot be read as it should be is no
 * value either, and the next write replaces it.
 */
export interface RegisterEntry<Value = unknown> {
  value?: Value;
  revision: number;
}

/** Reads and writes a register. */
export type Register = ReturnType<typeof openRegister>;

interface RegisterOptions extends Pick<Connection, 'nats'> {
  /** Told of what cannot be read. */
  logger?: Pick<Logger, 'error'>;
}

/**
 * Opens a register, a JetStream key-value bucket that outlives the databases (ARCHITECTURE, "Lineage"). It is read from
 * its leader, never by direct get: what a replica has may be older. nats.js' own `kv` asks the broker for more rights
 * than a service has (libs/bus/src/access.ts).
 */
export const openRegister = ({ nats, logger }: RegisterOptions, name: RegisterName) => {
  const register = partsOf(name);
  let manager: JetStreamManager | undefined;
  const stream = nats.jetstream({ timeout: timeoutMs });
  const asUnavailable = (error: unknown) =>
    error instanceof NatsError ? unavailable(`The register cannot be reached: ${error.message}`, error) : error;

  /** What a message has; undefined, loudly, where that is not what the key is for: it counts as lost. */
  const parsed = <Value>(key: string, message: StoredMsg, schema?: z.ZodType<Value>): Value | undefined => {
    try {
      return schema ? schema.parse(message.json()) : message.json();
    } catch (error) {
      const about = { err: error, register: name, key, revision: message.seq };
      logger?.error(about, 'what the register has under a key cannot be read, and counts as lost');
      return undefined;
    }
  };

  return {
    /**
     * @param schema what is read has this shape; left out: whatever JSON it is
     * @throws CardinalError `unavailable` where the broker or the bucket is not there
     */
    async read<Value = unknown>(key: string, schema?: z.ZodType<Value>): Promise<RegisterEntry<Value>> {
      try {
        const opened = manager ?? (await nats.jetstreamManager({ checkAPI: false, timeout: timeoutMs }));
        manager = opened;
        const last = { last_by_subj: register.subjectOf(key) };
        const message = await patiently(() => opened.streams.getMessage(register.stream, last));
        // A deletion is a message too, without data.
        const value = message.data.length > 0 ? parsed(key, message, schema) : undefined;
        return { ...(value !== undefined && { value }), revision: message.seq };
      } catch (error) {
        if (apiCodeOf(error) === apiCodes.messageNotFound) return { revision: 0 };
        throw asUnavailable(error);
      }
    },
    /**
     * Writes a value where the key still has this revision.
     * @param value anything that JSON can hold; undefined takes the value away
     * @param revision as `read` returned it
     * @returns the new revision; undefined where it was written meanwhile, by another process or by an earlier try of
     * ours that got no answer
     * @throws CardinalError `unavailable` as `read`; the value may have been written all the same
     */
    async write(key: string, value: unknown, revision: number): Promise<number | undefined> {
      try {
        const expect = { lastSubjectSequence: revision };
        const text = JSON.stringify(value);
        const { seq } = await patiently(() => stream.publish(register.subjectOf(key), text, { expect }));
        return seq;
      } catch (error) {
        if (apiCodeOf(error) === apiCodes.wrongLastSequence) return undefined;
        throw asUnavailable(error);
      }
    },
  };
};

/**
 * Reads and writes a register as the deploy step's user, for as long as `work` takes.
 * @throws CardinalError `unavailable` where the broker or the register is not there
 */
export const onRegister = <Result>(
  broker: Broker,
  work: (register: Register) => Promise<Result>,
  name: RegisterName = 'numbers',
): Promise<Result> =>
  onBroker(broker, { name: 'cardinal-doctor', timeout: 3_000 }, (nats) => work(openRegister({ nats }, name)));
