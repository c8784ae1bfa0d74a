import { moveCard, transferCard } from '@cardinal/contracts';
import type { Command } from 'commander';
import { addOperation } from '../operations/command.ts';
import type { Session } from '../session.ts';

/** The heading of what is asked most, in the program's help. */
export const cards = 'Cards:';

/** `cardinal move`, short for `cardinal cards move`. */
export const addMove = (program: Command, session: Session): void => {
  addOperation(program, session, moveCard.http, 'move').helpGroup(cards);
};

/** `cardinal transfer`, short for `cardinal cards transfer`. */
export const addTransfer = (program: Command, session: Session): void => {
  addOperation(program, session, transferCard.http, 'transfer').helpGroup(cards);
};
