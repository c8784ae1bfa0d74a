import { type CardinalError, type EventReader, type LoggedEvent, shownTo, type Wanted } from '@cardinal/contracts';
import { errorResponse } from '@cardinal/edge';

/** When a follower reconnects after a broken connection, ms. */
const usualRetryMs = 1_000;
/** The least such time, and the most that is added at random, when the gateway stops: followers must not return all at once. */
const [leastRetryMs, spreadRetryMs] = [50, 450];

/** JSON has line breaks only between its parts, where nothing needs them; here they would end the field. */
const inOneLine = (json: string) => (/[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, ' ') : json);

const frameOf = ({ seq, type }: LoggedEvent, text: string) =>
  Buffer.from(`id: ${seq}\nevent: ${type}\ndata: ${inOneLine(text)}\n\n`);

/**
 * The position of a stream: a comment for people and for the client, and an id, which browsers send as `Last-Event-ID` although
 * no event came (HTML, "Server-sent events"). So a follower of new or rare events resumes from here too.
 */
export const placeFrame = (position: number): string => `: ${position}\nid: ${position}\n\n`;

/** The first frame of a stream. */
export const firstFrame = (position: number): string => `retry: ${usualRetryMs}\n${placeFrame(position)}`;

/** The last frame of a stream whose gateway stops. */
export const farewellFrame = (): string => `retry: ${leastRetryMs + Math.floor(Math.random() * spreadRetryMs)}\n\n`;

/** The last frame of a stream that cannot continue. Its type is none of the log's, and its data is the error. */
export const errorFrame = (error: CardinalError, requestId: string): string =>
  `event: ${error.code}\ndata: ${JSON.stringify(errorResponse(error, requestId).body)}\n\n`;

/** What the reader of a page asks for. */
export interface Reader {
  wanted: Wanted;
  /** The last number that the reader has, or does not want. */
  position: number;
}

/**
 * The frames of a page for its readers. Readers of the same events share one buffer.
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
