import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from './history.ts';
import type { Knowledge } from './knowledge.ts';
import { type PlannedRequest, requestFor, send } from './send.ts';
import type { Random, System } from './system.ts';

export type Done = Omit<Exchange, 'id'>;

export interface ClientOptions {
  number: number;
  system: System;
  random: Random;
  knowledge: Knowledge;
  record: (exchange: Done) => void;
  until: AbortSignal;
}

/** An API key with its text. */
export interface ApiKey {
  id: string;
  text: string;
}

/** How often one request is repeated. With the pauses, this takes longer than most faults last. */
const maxTries = 7;
const isUnanswered = ({ answer }: Done) => answer === undefined || answer.status === 503 || answer.status === 429;

/** A user of the API that sends one request after the other, and uses another gateway if one does not answer. */
export class Client {
  readonly random: Random;
  readonly knows: Knowledge;
  readonly number: number;
  readonly user: number;
  private readonly options: ClientOptions;
  private named = 0;

  constructor(options: ClientOptions) {
    this.options = options;
    this.random = options.random;
    this.knows = options.knowledge;
    this.number = options.number;
    this.user = options.number % options.knowledge.users.length;
  }

  /** A text that is unique in this run, by which the effect of a request is recognized. */
  name(): string {
    this.named += 1;
    return `c${this.number}-${this.named}`;
  }

  /**
   * Sends a request once.
   * @param gateway its index in the list; random by default
   */
  async once(planned: PlannedRequest, gateway?: number, user = this.user): Promise<Done> {
    const { system, knowledge, record, number } = this.options;
    const to = system.gateways[(gateway ?? this.random.int(0, 1_000)) % system.gateways.length];
    const token = knowledge.users[user]?.token;
    if (!to || !token) throw new Error('there is no gateway, or no such user');
    const done = await send(to, { client: number, workspace: knowledge.id, token }, planned, record);
    knowledge.learn(done);
    return done;
  }

  /** Sends a request once, to a random gateway, with an API key in the place of the user's token. */
  withKey({ id, text }: ApiKey, planned: PlannedRequest): Promise<Done> {
    const { system, knowledge, record, number } = this.options;
    const sender = { client: number, workspace: knowledge.id, token: text, apiKey: id };
    return send(this.random.pick(system.gateways), sender, planned, record);
  }

  /**
   * Sends a request until it is answered, to one gateway after the other, always with the same key. After some tries it
   * stays open, and `repeatOld` may repeat it later.
   */
  async persist(planned: PlannedRequest): Promise<Done> {
    if (planned.key !== undefined) this.knows.noteKeyed(planned, this.user);
    const first = this.random.int(0, 1);
    for (let tries = 0; ; tries += 1) {
      const done = await this.once(planned, first + tries);
      if (!isUnanswered(done) || tries === maxTries || this.options.until.aborted) return done;
      await this.wait(Math.min(1_500, 50 * 2 ** tries));
    }
  }

  /** The request with a new key, if it takes one and has none. */
  private keyed(planned: PlannedRequest): PlannedRequest {
    return planned.method === 'POST' && planned.key === undefined ? { ...planned, key: `k-${this.name()}` } : planned;
  }

  /** Sends a request that takes a key or sets a state until it is answered; sends any other one once. */
  send(planned: PlannedRequest): Promise<Done> {
    const setsState = (planned.method === 'PUT' || planned.method === 'DELETE') && planned.ifMatch === undefined;
    return planned.method === 'POST' || setsState ? this.persist(this.keyed(planned)) : this.once(planned);
  }

  /** Sends the request of an operation; the parameters are those of `requestFor`. */
  ask(...what: Parameters<typeof requestFor>): Promise<Done> {
    return this.send(requestFor(...what));
  }

  /** Sends requests at the same moment, each once, to alternating gateways. */
  atOnce(requests: readonly PlannedRequest[]): Promise<Done[]> {
    return Promise.all(requests.map((planned, at) => this.once(this.keyed(planned), at)));
  }

  /** A version for `If-Match`: mostly the last one that a client saw, sometimes an earlier one. */
  version({ version, formerVersion }: { version: number; formerVersion?: number }): number {
    return this.random.chance(0.1) ? (formerVersion ?? version) : version;
  }

  /** Waits until the time has passed or the run ends. */
  async wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.options.until }).catch(() => {});
  }
}

/** An action of clients, and its relative frequency. */
export interface Intent {
  weight: number;
  act: (client: Client) => Promise<unknown>;
}
