export type { DB as Tables } from './tables.gen.ts';
