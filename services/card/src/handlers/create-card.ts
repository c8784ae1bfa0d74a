import type { createCard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { cardMaker } from '../writing/create-card.ts';

/** Makes a card with the next number of its workstream. */
export const createCard = (parts: Parts): Handler<typeof contract> => cardMaker(parts);
