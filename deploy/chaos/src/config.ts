/** The bug that this process shall have (`plant.ts`). */
export const plantedBug = (): string => process.env.PLANTED_BUG ?? '';
