import type { Logger } from '@cardinal/runtime';
import type { Config } from '../config.ts';
import { clamd, noScanner, type Scanner } from './scanner.ts';

/** The scanner that the configuration names, or none, which it says. */
export const openScanner = (config: Config, logger: Logger): Scanner => {
  if (config.CLAMD_URL) return clamd({ url: config.CLAMD_URL, timeoutMs: config.CLAMD_TIMEOUT_MS });
  logger.warn('CLAMD_URL is not set: files are checked for type only');
  return noScanner;
};
