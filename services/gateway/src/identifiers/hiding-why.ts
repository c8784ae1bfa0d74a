import { CardinalError, notFound } from '@cardinal/contracts';

/**
 * Makes every `not_found` the same one: whether an identifier was never issued, or its card is gone or not visible,
 * is not told apart.
 */
export const hidingWhy = async <T>(lookUp: () => Promise<T>): Promise<T> => {
  try {
    return await lookUp();
  } catch (error) {
    throw error instanceof CardinalError && error.code === 'not_found' ? notFound('Card') : error;
  }
};
