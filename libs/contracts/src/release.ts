/** This release. `npm run release` sets it everywhere. */
export const release = '1.1.0';
