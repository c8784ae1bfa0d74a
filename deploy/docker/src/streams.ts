import { checkBroker } from '@cardinal/bus';
import { declareBusStreams } from '@cardinal/local';
import { createLogger, waitForServer } from '@cardinal/runtime';
import { readStreamsConfig } from './config.ts';

/** Makes or updates the stream of events and its consumers, as the broker's user `deploy`. */
const { NATS_URL: url, EVENT_STREAM_BYTES: maxBytes } = readStreamsConfig();
const logger = createLogger({ service: 'streams', level: 'info' });
await waitForServer(logger, () => checkBroker(url));
await declareBusStreams(url, maxBytes);
logger.info('the stream and its consumers are there');
