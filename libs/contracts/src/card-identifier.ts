import { z } from 'zod';
import { uuid } from './scalars.ts';

/** `PREFIX-N` without leading zeros, any letter case. */
export const identifierPattern = /^([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,14})$/;

/** The most characters of an identifier: ten, a hyphen, and fifteen. */
export const maxIdentifier = 26;

/** The prefix in upper case and the number of an identifier in any letter case; undefined for what is none. */
export const parseIdentifier = (spelling: string) => {
  const match = identifierPattern.exec(spelling);
  if (!match?.[1] || !match[2]) return undefined;
  return { prefix: match[1].toUpperCase(), number: Number(match[2]) };
};

/** Writes an identifier in its canonical form. */
export const formatIdentifier = (prefix: string, number: number) => `${prefix}-${number}`;

/** A card by its id or by an identifier that it has or had (CONTRACT 4.5); both are made canonical. */
export const cardIdOrIdentifier = z
  .union([uuid, z.string().regex(identifierPattern).toUpperCase()], {
    error: 'must be a UUID, or an identifier such as PAY-7',
  })
  .meta({ examples: ['0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b'] });

/** Which of the two a parsed `cardIdOrIdentifier` is. */
export const isIdentifier = (card: string): boolean => identifierPattern.test(card);
