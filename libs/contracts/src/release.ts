/** This release. `npm run release` sets it everywhere. */
export const release = '1.2.0-dev';
