import { CardinalError } from '@cardinal/client/source';

/** Whether the service refused something with one of these codes. */
export const isRefused = (error: unknown, ...codes: CardinalError['code'][]): error is CardinalError =>
  error instanceof CardinalError && codes.includes(error.code);

/** The resource; undefined if it is deleted, or hidden. */
export const ifFound = async <Found>(read: Promise<Found>): Promise<Found | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (isRefused(error, 'not_found')) return undefined;
    throw error;
  }
};
