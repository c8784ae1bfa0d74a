import { setTimeout as pause } from 'node:timers/promises';
import type { Following, ToldEvent } from './history.ts';
import { startReceiver, startSilentReceiver } from './receiver.ts';
import type { System } from './system.ts';
import { type Secrets, toldOf, type WireEvent } from './told.ts';

/** A user whose view of a workspace is followed. */
interface Follower {
  workspace: string;
  token: string;
  isStranger?: true;
}

/** The pause between two attempts, ms. */
const againMs = 200;
/** Longer than any stream is silent: each sends a comment every 15 s. */
const silenceMs = 40_000;

/** The `data` of each message of server-sent events (HTML, "Server-sent events"). */
async function* messagesOf(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    heard();
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const data = message.split('\n').filter((line) => line.startsWith('data:'));
      if (data.length > 0) yield data.map((line) => line.slice('data:'.length).trimStart()).join('\n');
    }
  }
}

/** Follows a workspace from its beginning over a stream. After a break it continues at the next gateway. */
const startStream = (system: System, follower: Follower, take: (text: string) => ToldEvent, over: AbortSignal) => {
  let last = 0;
  const readOne = async (baseUrl: string) => {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    try {
      const response = await fetch(`${baseUrl}/events/stream`, {
        headers: { authorization: `Bearer ${follower.token}`, 'last-event-id': String(last) },
        signal: AbortSignal.any([over, silence.signal]),
      });
      if (response.status !== 200 || !response.body) return void (await response.body?.cancel());
      for await (const text of messagesOf(response.body, () => timer.refresh())) last = take(text).seq;
    } finally {
      clearTimeout(timer);
    }
  };
  const follow = async () => {
    for (let turn = 0; !over.aborted; turn += 1) {
      const { baseUrl } = system.gateways[turn % system.gateways.length] as System['gateways'][number];
      // However a stream ends, the next one continues after the last received event.
      await readOne(baseUrl).catch(() => {});
      await pause(againMs, undefined, { signal: over }).catch(() => {});
    }
  };
  return follow();
};

/** Sends a request to a gateway once. @returns undefined if no answer comes */
const ask = async (url: string, token: string, init: RequestInit = {}) => {
  try {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(url, { ...init, headers });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
};

/** The webhooks of each workspace whose receiver never answers. The checks do not look at them. */
const hangingWebhooks = 5;

/** Creates a webhook. @throws Error if no gateway creates it */
const makeWebhook = async (system: System, { token }: Follower, url: string): Promise<void> => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `webhook-${url}` };
  for (let tries = 0; tries < 50; tries += 1) {
    const { baseUrl } = system.gateways[tries % system.gateways.length] as System['gateways'][number];
    const answered = await ask(`${baseUrl}/webhooks`, token, {
      method: 'POST',
      headers,
      body: JSON.stringify({ url, private_boards: true }),
    });
    if (answered?.status === 201) return;
    await pause(againMs);
  }
  throw new Error('no webhook could be created: the system does not answer');
};

/** Reads the log of a workspace to its end. @throws Error if a page is not answered */
const readLog = async (system: System, { token }: Follower): Promise<string[]> => {
  const [gateway] = system.gateways;
  const events: string[] = [];
  for (let after = 0; ; ) {
    const answered = await ask(`${gateway?.baseUrl}/events?limit=100&after=${after}`, token);
    if (answered?.status !== 200) throw new Error(`the log cannot be read: ${answered?.status} ${answered?.text}`);
    const { data } = JSON.parse(answered.text) as { data: WireEvent[] };
    const [last] = data.slice(-1);
    if (!last) return events;
    events.push(...data.map((one) => JSON.stringify(one)));
    after = last.seq;
  }
};

/**
 * Follows workspaces from their beginning, as a user who sees everything and as a stranger (a member of no board), each
 * over a stream and over a webhook.
 * @param secrets ids that strangers must not receive; the set grows during the run
 */
export const startFollowers = (system: System, secrets: Secrets) => {
  const over = new AbortController();
  const follows: Following[] = [];
  const ends: (() => unknown)[] = [() => over.abort()];
  const readers: Follower[] = [];
  const note = (by: Following['by'], { workspace, isStranger }: Follower): ((text: string) => ToldEvent) => {
    const events: ToldEvent[] = [];
    follows.push({ by, workspace, after: 0, events, ...(isStranger && { isStranger }) });
    return (text) => {
      const told = toldOf(text, isStranger && secrets);
      events.push(told);
      return told;
    };
  };
  return {
    follows,
    /** Begins to follow an empty workspace. */
    follow: async (workspace: string, user: string): Promise<void> => {
      const tokens = await Promise.all([user, crypto.randomUUID()].map((one) => system.token(workspace, one)));
      const [reader, stranger] = tokens.map((token, at): Follower => {
        return { workspace, token, ...(at > 0 && { isStranger: true }) };
      }) as [Follower, Follower];
      readers.push(reader);
      for (const one of [reader, stranger]) {
        const streaming = startStream(system, one, note('stream', one), over.signal);
        ends.push(() => streaming);
        const receiver = await startReceiver(note('webhook', one));
        ends.push(receiver.stop);
        await makeWebhook(system, one, receiver.url);
      }
      const silent = await startSilentReceiver();
      ends.push(silent.stop);
      for (let at = 0; at < hangingWebhooks; at += 1) await makeWebhook(system, reader, `${silent.url}${at}`);
    },
    /** Waits until all followers that see everything have the whole log, and reads the log itself. */
    finish: async (timeoutMs: number): Promise<void> => {
      const until = performance.now() + timeoutMs;
      for (const reader of readers) {
        const { workspace } = reader;
        const mine = follows.filter((one) => one.workspace === workspace && !one.isStranger);
        for (;;) {
          const log = await readLog(system, reader);
          const ids = log.map((text) => (JSON.parse(text) as WireEvent).id);
          const lacks = mine.some(({ events }) => {
            const got = new Set(events.map(({ id }) => id));
            return ids.some((id) => !got.has(id));
          });
          if (!lacks || performance.now() > until) {
            const take = note('log', reader);
            for (const text of log) take(text);
            break;
          }
          await pause(againMs);
        }
      }
    },
    stop: async () => {
      for (const end of ends) await end();
    },
  };
};
