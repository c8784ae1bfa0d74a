import { setTimeout as pause } from 'node:timers/promises';
import { type RegisterName, unavailable } from '@cardinal/contracts';
import { currentContext, type Logger } from '@cardinal/runtime';
import { ErrorCode, headers, type JetStreamManager, NatsError, type StoredMsg } from 'nats';
import type { z } from 'zod';
import { apiCodeOf, apiCodes } from './api-errors.ts';
import type { Broker } from './broker.ts';
import { type Connection, onBroker } from './connection.ts';
import { partsOf } from './names.ts';

/** Time of one try and of all of them, ms: a lost leader is replaced within seconds. */
const [timeoutMs, patienceMs] = [1_000, 15_000];
const pauseMs = 100;

/** The bucket has no leader at the moment, or the connection is being restored. */
const isPassing = (error: unknown): boolean =>
  error instanceof NatsError && [ErrorCode.Timeout, ErrorCode.NoResponders].includes(error.code as ErrorCode);

/**
 * Retries until the register answers, the time is up or the request's deadline would pass. Only for operations that are
 * safe to repeat.
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

/** The header of a message that the broker forgets; a second is the least that it takes. */
const withTtl = (end: Date) => {
  const made = headers();
  made.set('Nats-TTL', `${Math.max(1, Math.ceil((end.getTime() - Date.now()) / 1_000))}s`);
  return made;
};

/**
 * The entry of a key; revision 0 and no value where there is none. An unreadable value counts as absent, and the next
 * write replaces it.
 */
export interface RegisterEntry<Value = unknown> {
  value?: Value;
  revision: number;
}

/** Reads and writes a register. */
export type Register = ReturnType<typeof openRegister>;

interface RegisterOptions extends Pick<Connection, 'nats'> {
  /** Logs unreadable values. */
  logger?: Pick<Logger, 'error'>;
}

/**
 * Opens a register, a JetStream key-value bucket that outlives the databases (ARCHITECTURE, "Lineage"). Reads go to the
 * leader, never by direct get: a replica may be behind. The `kv` of nats.js needs more permissions than a service has
 * (libs/bus/src/access.ts).
 */
export const openRegister = ({ nats, logger }: RegisterOptions, name: RegisterName) => {
  const register = partsOf(name);
  let manager: JetStreamManager | undefined;
  const stream = nats.jetstream({ timeout: timeoutMs });
  const asUnavailable = (error: unknown) =>
    error instanceof NatsError ? unavailable(`The register cannot be reached: ${error.message}`, error) : error;

  /** Parses the value of a message. An invalid value is logged and counts as lost. @returns undefined then */
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
     * Reads a key.
     * @param schema of the value; without it, any JSON
     * @throws CardinalError `unavailable` where the broker or the bucket does not answer
     */
    async read<Value = unknown>(key: string, schema?: z.ZodType<Value>): Promise<RegisterEntry<Value>> {
      try {
        const opened = manager ?? (await nats.jetstreamManager({ checkAPI: false, timeout: timeoutMs }));
        manager = opened;
        const last = { last_by_subj: register.subjectOf(key) };
        const message = await patiently(() => opened.streams.getMessage(register.stream, last));
        // A deletion is a message without data.
        const value = message.data.length > 0 ? parsed(key, message, schema) : undefined;
        return { ...(value !== undefined && { value }), revision: message.seq };
      } catch (error) {
        if (apiCodeOf(error) === apiCodes.messageNotFound) return { revision: 0 };
        throw asUnavailable(error);
      }
    },
    /**
     * Reads the next key of a pattern in the order of revisions, which is that of the latest writes.
     * @param pattern of keys, as subjects of NATS have it
     * @param after a revision
     * @returns undefined where there is none
     * @throws CardinalError `unavailable` as `read`
     */
    async next<Value>(
      pattern: string,
      after: number,
      schema: z.ZodType<Value>,
    ): Promise<(RegisterEntry<Value> & { key: string }) | undefined> {
      try {
        const opened = manager ?? (await nats.jetstreamManager({ checkAPI: false, timeout: timeoutMs }));
        manager = opened;
        // The broker takes this of every reader of messages; the types of nats.js know it for direct gets alone.
        const asked = { seq: after + 1, next_by_subj: register.subjectOf(pattern) };
        const message = await patiently(() => opened.streams.getMessage(register.stream, asked));
        const key = message.subject.slice(register.subjectOf('').length);
        const value = message.data.length > 0 ? parsed(key, message, schema) : undefined;
        return { key, ...(value !== undefined && { value }), revision: message.seq };
      } catch (error) {
        if (apiCodeOf(error) === apiCodes.messageNotFound) return undefined;
        throw asUnavailable(error);
      }
    },
    /**
     * Writes a value where the key still has the revision.
     * @param value any JSON; undefined deletes the value
     * @param revision as `read` returned it
     * @param end when the broker may forget the value, in a register whose entries have ends; null for never
     * @returns the new revision; undefined where the key was written meanwhile, by another process or by an earlier try
     * of this one that got no answer
     * @throws CardinalError `unavailable` as `read`; the value may have been written then
     */
    async write(key: string, value: unknown, revision: number, end: Date | null = null): Promise<number | undefined> {
      try {
        const expect = { lastSubjectSequence: revision };
        const text = JSON.stringify(value);
        const options = { expect, ...(end && { headers: withTtl(end) }) };
        const { seq } = await patiently(() => stream.publish(register.subjectOf(key), text, options));
        return seq;
      } catch (error) {
        if (apiCodeOf(error) === apiCodes.wrongLastSequence) return undefined;
        throw asUnavailable(error);
      }
    },
  };
};

/**
 * Reads and writes a register as the deploy step's user while `work` runs.
 * @throws CardinalError `unavailable` where the broker or the register does not answer
 */
export const onRegister = <Result>(
  broker: Broker,
  work: (register: Register) => Promise<Result>,
  name: RegisterName = 'numbers',
): Promise<Result> =>
  onBroker(broker, { name: 'cardinal-doctor', timeout: 3_000 }, (nats) => work(openRegister({ nats }, name)));
