import {
  CardinalError,
  type EventType,
  type LoggedEvent,
  logsGrew,
  readLog,
  seeBoards,
  shownTo,
} from '@cardinal/contracts';
import { testBus } from '@cardinal/testkit';
import { v7 } from 'uuid';
import type { Gateway } from './gateway.ts';

/** The parts of an event that a test chooses. */
export type Noted = Partial<Omit<LoggedEvent, 'seq' | 'id'>> & { previous?: object };

const all = { userId: '', sees: () => true };

/** A workspace's log and the visibility of its boards, behind a gateway. */
export const serveLog = async (gateway: Gateway) => {
  const bus = await testBus(gateway.nats.url, 'event');
  const { workspace_id } = gateway.caller;
  const logs = new Map<string, LoggedEvent[]>();
  const logOf = (workspaceId: string) => logs.get(workspaceId) ?? [];
  /** By board; a board that is not named is seen by all. */
  const members = new Map<string, Set<string>>();
  const asked = { readLog: 0, seeBoards: 0 };
  let oldest = 1;
  let failure: CardinalError | undefined;

  gateway.serve(readLog, ({ workspace_id: id, after, limit, ...wanted }) => {
    asked.readLog += 1;
    if (failure) throw failure;
    const last = logOf(id).length;
    if (after === null) return { events: [], through: last, last };
    if (after + 1 < oldest) throw new CardinalError('gone', 'That is not kept any more', { oldest });
    const found = logOf(id).filter((event) => event.seq > after && shownTo(event, all, wanted) !== undefined);
    // What fits into one message.
    let [bytes, fitting] = [0, 0];
    while (fitting < Math.min(limit, found.length) && bytes < 500_000) bytes += found[fitting++]?.text.length ?? 0;
    const events = found.slice(0, fitting);
    return { events, through: fitting < found.length ? (events.at(-1)?.seq ?? after) : Math.max(after, last), last };
  });
  gateway.serve(seeBoards, ({ user_ids, board_ids }) => {
    asked.seeBoards += 1;
    if (failure) throw failure;
    return {
      boards: board_ids.map((board_id) => ({
        board_id,
        user_ids: user_ids.filter((id) => members.get(board_id)?.has(id) ?? true),
      })),
    };
  });

  // Until the broker knows the subjects.
  await gateway.call({ path: '/me' });

  return {
    asked,
    members,
    /** Appends to the log, and signals it unless the signal is lost. */
    note(
      noted: Noted[],
      { isHeard = true, workspace = workspace_id }: { isHeard?: boolean; workspace?: string } = {},
    ): number {
      const log = logOf(workspace);
      logs.set(workspace, log);
      for (const { type = 'card.updated' as EventType, previous = {}, ...more } of noted) {
        const seq = log.length + 1;
        const id = v7();
        const text = more.text ?? JSON.stringify({ id, seq, type, previous, data: { title: `event ${seq}` } });
        log.push({ card_id: null, board_id: null, other_board_id: null, ...more, seq, id, type, text });
      }
      if (isHeard) bus.signal(logsGrew, { logs: [{ workspace_id: workspace, last: log.length }] });
      return log.length;
    },
    /** Nothing older is kept. */
    keepFrom: (seq: number) => {
      oldest = seq;
    },
    /** The error that answers everything while it is set. */
    fail: (error: CardinalError | undefined) => {
      failure = error;
    },
  };
};

export type Log = Awaited<ReturnType<typeof serveLog>>;
