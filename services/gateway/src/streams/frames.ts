import { type CardinalError, type EventReader, type LoggedEvent, shownTo, type Wanted } from '@cardinal/contracts';
import { errorResponse } from '@cardinal/edge';

/** After which time, ms, a follower comes back when a connection broke. */
const usualRetryMs = 1_000;
/** The least, and how much may be added, when the gateway stops: not all come back at the same moment. */
const [leastRetryMs, spreadRetryMs] = [50, 450];

/** JSON has line breaks only between its parts, where nothing needs them; here they would end the field. */
const inOneLine = (json: string) => (/[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, ' ') : json);

const frameOf = ({ seq, type }: LoggedEvent, text: string) =>
  Buffer.from(`id: ${seq}\nevent: ${type}\ndata: ${inOneLine(text)}\n\n`);

/**
 * Where a stream is: a comment for people and our client, and an id, which becomes the `Last-Event-ID` of browsers without
 * an event (HTML, "Server-sent events"). So whoever asked for what comes from now on, or for little, goes on here too.
 */
export const placeFrame = (position: number): string => `: ${position}\nid: ${position}\n\n`;

/** What a stream begins with. */
export const firstFrame = (position: number): string => `retry: ${usualRetryMs}\n${placeFrame(position)}`;

/** The last of a stream that ends because its gateway does. */
export const farewellFrame = (): string => `retry: ${leastRetryMs + Math.floor(Math.random() * spreadRetryMs)}\n\n`;

/** The last of a stream that cannot go on: an event of no type of ours, in whose data is the error. */
export const errorFrame = (error: CardinalError, requestId: string): string =>
  `event: ${error.code}\ndata: ${JSON.stringify(errorResponse(error, requestId).body)}\n\n`;

/** What the reader of a page asks for. */
export interface Reader {
  wanted: Wanted;
  /** The last number that the reader has, or does not want. */
  position: number;
}

/**
 * The frames of a page for its readers, together in one buffer for all who get the same of it.
 * @returns undefined where there is nothing for a reader
 */
export const framesOf = (events: readonly LoggedEvent[]) => {
  const frames = new Map<string, Buffer>();
  const remembered = (key: string, make: () => Buffer) => {
    const made = frames.get(key) ?? make();
    frames.set(key, made);
    return made;
  };

  return ({ wanted, position }: Reader, reader: EventReader): Buffer | undefined => {
    const parts = events.flatMap((event) => {
      if (event.seq <= position) return [];
      const text = shownTo(event, reader, wanted);
      if (text === undefined) return [];
      const key = text === event.text ? String(event.seq) : `${event.seq} in part: ${text}`;
      return [{ key, make: () => frameOf(event, text) }];
    });
    if (parts.length === 0) return undefined;
    const whole = () => Buffer.concat(parts.map(({ key, make }) => remembered(key, make)));
    return remembered(parts.map(({ key }) => key).join(), whole);
  };
};
