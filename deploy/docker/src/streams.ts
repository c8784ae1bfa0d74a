import { checkBroker, declareStreams } from '@cardinal/bus';
import { createLogger, waitForServer } from '@cardinal/runtime';
import { readStreamsConfig } from './config.ts';

/** Makes or updates the stream of events and its consumers, as the broker's user `deploy`. */
const {
  NATS_URL: url,
  NATS_CA: ca,
  EVENT_STREAM_BYTES: maxBytes,
  EVENT_STREAM_REPLICAS: replicas,
} = readStreamsConfig();
const logger = createLogger({ service: 'streams', level: 'info' });
await waitForServer(logger, () => checkBroker({ url, ca }));
await declareStreams({ url, ca, replicas, maxBytes });
logger.info('the stream and its consumers are there');
