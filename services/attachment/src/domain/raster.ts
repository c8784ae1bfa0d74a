/** Types that are decoded, shown inline and taken as covers (api-decisions, "Files"); never SVG. */
const rasterTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);

export const isRaster = (contentType: string): boolean => rasterTypes.has(contentType);

/** Widths of the renditions of a cover. */
const widths = [320, 640, 1280];

/** The widths that an image is rendered in, ascending: never wider than itself. */
export const renditionWidths = (width: number): number[] => [
  ...new Set(widths.map((wanted) => Math.min(wanted, width))),
];
