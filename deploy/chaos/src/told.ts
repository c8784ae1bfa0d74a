import type { ToldEvent } from './history.ts';

/** The parts of an event that the checks read. */
export interface WireEvent {
  seq: number;
  id: string;
  type: string;
  subject: { id: string; version: number | null };
  card: { id: string } | null;
  board_id: string | null;
}

/** The prefix of all texts on boards that only their creators see. */
export const hiddenPrefix = 'hidden-';
const hiddenText = new RegExp(`${hiddenPrefix}[\\w-]+`, 'g');

/** Ids of boards and columns that no stranger may receive. */
export type Secrets = ReadonlySet<string>;

/** Returns what is kept of an event. @param text the event as it was received */
export const toldOf = (text: string, secrets?: Secrets): ToldEvent => {
  const { seq, id, type, subject, card, board_id } = JSON.parse(text) as WireEvent;
  const said = secrets ? [...(text.match(hiddenText) ?? []), ...[...secrets].filter((one) => text.includes(one))] : [];
  return {
    seq,
    id,
    type,
    subject: subject.id,
    version: subject.version,
    card: card?.id ?? null,
    board: board_id,
    at: performance.now(),
    ...(said.length > 0 && { secrets: said }),
  };
};
