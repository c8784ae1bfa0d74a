import { createLogger } from '../../src/index.ts';

createLogger({ service: 'test' }).info({ line: 1 }, 'hello');
