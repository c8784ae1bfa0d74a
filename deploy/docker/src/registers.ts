import { checkBroker, declareRegisters } from '@cardinal/bus';
import { createLogger, waitForServer } from '@cardinal/runtime';
import { readRegistersConfig } from './config.ts';

/** Makes or updates the registers, as the broker's user `deploy`. */
const { NATS_URL: url, NATS_CA: ca } = readRegistersConfig();
const logger = createLogger({ service: 'registers', level: 'info' });
await waitForServer(logger, () => checkBroker({ url, ca }));
await declareRegisters({ url, ca });
logger.info('the registers are there');
