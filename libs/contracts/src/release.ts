/** The release that this is. `npm run release` sets it everywhere. */
export const release = '1.0.0';
