import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer, Body, Client, SendOptions } from '../workspace.ts';

/** A request that was answered with success under a key. */
interface Answered {
  first: Answer;
  send: (changed: SendOptions) => Promise<Answer>;
}

/** What a story's names stand for in the system, what was last seen there, and under which keys. */
export class Known {
  private readonly ids = new Map<string, string>();
  private readonly names = new Map<string, string>();
  private readonly seen = new Map<string, Body>();
  private readonly answered = new Map<string, Answered>();
  private readonly unusedKeys = new Map<string, string>();

  /** The id of a name; an unused id for a name that stands for nothing. */
  id = (name: string): string => this.ids.get(name) ?? randomUUID();
  /** The name of an id, or the id itself where the story does not know it. */
  name = (id: string): string => this.names.get(id) ?? id;

  call(name: string, id: string): void {
    this.ids.set(name, id);
    this.names.set(id, name);
  }

  /** What was last seen under a name. */
  last = (name: string): Body => this.seen.get(name);
  /** Everything that was seen and not forgotten. */
  all = (): Body[] => [...this.seen.values()];
  forget = (name: string): void => void this.seen.delete(name);

  /**
   * Takes notice of a versioned resource: what has the version that it had is the same all over, `updated_at` too
   * (CONTRACT 3.3).
   * @returns the version
   */
  meet(name: string, resource: Body): number {
    const before = this.seen.get(name);
    if (before?.version === resource.version) expect(resource, `${name} in one version`).toEqual(before);
    else if (before) expect(resource.updated_at >= before.updated_at, `${name} changes later than before`).toBe(true);
    if (!before) this.call(name, resource.id);
    this.seen.set(name, resource);
    return resource.version;
  }

  /**
   * Sends a POST whose answer can be asked for again. It carries a new key, or that of a refused request of the same
   * operation and user: a refusal stores nothing.
   * @param label operation and what it is done to, e.g. `transfer A`
   */
  async post(client: Client, label: string, path: string, options: SendOptions): Promise<Answer> {
    const scope = `${client.userId} ${label.split(' ')[0]}`;
    const key = this.unusedKeys.get(scope) ?? randomUUID();
    this.unusedKeys.delete(scope);
    const send = (changed: SendOptions) => client.post(path, { key, ...options, ...changed });
    const first = await send({});
    if (first.status < 300) this.answered.set(label, { first, send });
    else this.unusedKeys.set(scope, key);
    return first;
  }

  /** Sends the last successful request of a label again, with its key. @param changed what is different this time */
  async again(label: string, changed: SendOptions = {}): Promise<Answer> {
    const found = this.answered.get(label);
    if (!found) throw new Error(`nobody was answered to "${label}"`);
    return found.send(changed);
  }

  /** Whether an answer is the first one again and says so (CONTRACT 3.4). */
  isReplay(label: string, { headers, body, status }: Answer): boolean {
    const first = this.answered.get(label)?.first;
    const same = ['etag', 'location'].every((name) => headers.get(name) === first?.headers.get(name));
    expect([status, body]).toEqual([first?.status, first?.body]);
    return same && headers.get('idempotent-replayed') === 'true';
  }
}
