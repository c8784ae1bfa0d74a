import { CardinalError } from '@cardinal/client/source';

/** What is there; undefined for what is deleted, or hidden. */
export const ifFound = async <Found>(read: Promise<Found>): Promise<Found | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CardinalError && error.code === 'not_found') return undefined;
    throw error;
  }
};
