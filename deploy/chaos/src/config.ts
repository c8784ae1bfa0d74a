/** The name of the bug that is planted in this process (`plant.ts`). */
export const plantedBug = (): string => process.env.PLANTED_BUG ?? '';
