import { declareStreams } from '@cardinal/bus';

/** Declares the event stream with the user of the deploy step. */
export const declareBusStreams = (url: string): Promise<void> => declareStreams({ url });
