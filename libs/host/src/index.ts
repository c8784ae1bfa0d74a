export { runAlone } from './alone.ts';
export { environmentOf, processConfig } from './config.ts';
export type { Host, Program } from './program.ts';
export { runTogether } from './together.ts';
