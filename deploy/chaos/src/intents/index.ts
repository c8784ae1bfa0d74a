import type { Intent } from '../client.ts';
import type { Random } from '../system.ts';
import { adoptionIntents } from './adoptions.ts';
import { besideIntents } from './beside.ts';
import { cardIntents } from './cards.ts';
import { raceIntents } from './races.ts';
import { readIntents } from './reads.ts';
import { repeatIntents } from './repeats.ts';
import { workstreamIntents } from './workstreams.ts';

const intents = [
  ...cardIntents,
  ...besideIntents,
  ...workstreamIntents,
  ...adoptionIntents,
  ...readIntents,
  ...repeatIntents,
  ...raceIntents,
];
const all = intents.reduce((sum, { weight }) => sum + weight, 0);

/** Draws what a client does next. */
export const drawIntent = (random: Random): Intent => {
  let left = (random.int(0, 1_000_000) / 1_000_000) * all;
  for (const intent of intents) {
    left -= intent.weight;
    if (left <= 0) return intent;
  }
  return intents.at(-1) as Intent;
};
