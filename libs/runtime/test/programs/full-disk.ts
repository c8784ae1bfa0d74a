import { createLogger } from '../../src/index.ts';

const logger = createLogger({ service: 'test' });
for (let line = 0; line < 3; line += 1) logger.info({ line }, 'no room for this');
process.stderr.write('alive');
