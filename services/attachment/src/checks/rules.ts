/** Types that are decoded, shown inline and accepted as covers (CONTRACT 8.2); never SVG. */
const rasterTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);

export const isRaster = (contentType: string): boolean => rasterTypes.has(contentType);

/** Widths of the renditions of a cover, in pixels. */
const widths = [320, 640, 1280];
/** Longest side of a WebP, in pixels. */
const maxSide = 16_383;

export interface Size {
  width: number;
  height: number;
}

/** The sizes of an image's renditions, ascending: never larger than the image, each width once. */
export const renditionSizes = ({ width, height }: Size): Size[] => {
  const widest = Math.min(width, Math.max(1, Math.floor((maxSide * width) / height)));
  return [...new Set(widths.map((one) => Math.min(one, widest)))].map((rendered) => ({
    width: rendered,
    height: Math.min(maxSide, Math.max(1, Math.round((height * rendered) / width))),
  }));
};
