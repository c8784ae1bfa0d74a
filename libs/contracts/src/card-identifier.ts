import { z } from 'zod';
import { uuid } from './scalars.ts';

/** `PREFIX-N` without leading zeros, any letter case. */
export const identifierPattern = /^([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,14})$/;

/** Most characters of an identifier: ten, a hyphen and fifteen. */
export const maxIdentifier = 26;

/**
 * Parses an identifier in any letter case. @returns prefix in upper case and number; undefined where it is malformed
 */
export const parseIdentifier = (spelling: string) => {
  const match = identifierPattern.exec(spelling);
  if (!match?.[1] || !match[2]) return undefined;
  return { prefix: match[1].toUpperCase(), number: Number(match[2]) };
};

/** Formats an identifier in its canonical form. */
export const formatIdentifier = (prefix: string, number: number) => `${prefix}-${number}`;

/** A card's id, or an identifier that it has or had (CONTRACT 4.5), in canonical form. */
export const cardIdOrIdentifier = z
  .union([uuid, z.string().regex(identifierPattern).toUpperCase()], {
    error: 'must be a UUID, or an identifier such as PAY-7',
  })
  .meta({ examples: ['0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b'] });

/** Whether a parsed `cardIdOrIdentifier` is an identifier. */
export const isIdentifier = (card: string): boolean => identifierPattern.test(card);
