import sharp, { type OutputInfo } from 'sharp';
import { renditionWidths } from '../domain/raster.ts';

// Only loaders of raster formats; whatever else the bytes claim to be, no other decoder ever sees them.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadPng',
    'VipsForeignLoadJpeg',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
});
sharp.cache(false);
sharp.concurrency(1);

/** An image that decoded from its first byte to its last. */
export interface DecodedImage {
  /** Upright, as it is seen. */
  width: number;
  height: number;
  renditions: { width: number; height: number; webp: Buffer }[];
}

/** Why an image was refused. */
export type ImageFault = 'broken_image' | 'too_many_pixels';

/** A decoder gives up after this time, in seconds. */
const decodeTimeout = 60;

const decode = async (path: string, maxPixels: number): Promise<DecodedImage> => {
  const options = { limitInputPixels: maxPixels, failOn: 'truncated', sequentialRead: true, pages: 1 } as const;
  const { autoOrient } = await sharp(path, options).metadata();
  const { width, height } = autoOrient;
  const renditions: DecodedImage['renditions'] = [];
  // The widest is made from the image, the others from the one before: it is decoded once.
  let source: string | Buffer = path;
  for (const wanted of renditionWidths(width).reverse()) {
    const { data, info }: { data: Buffer; info: OutputInfo } = await sharp(source, options)
      .autoOrient()
      .resize({ width: wanted, height: maxSide, fit: 'inside', withoutEnlargement: true })
      .webp()
      .timeout({ seconds: decodeTimeout })
      .toBuffer({ resolveWithObject: true });
    // Of an image that is higher than WebP can be, several come out alike.
    if (renditions[0]?.width === info.width) continue;
    renditions.unshift({ width: info.width, height: info.height, webp: data });
    source = data;
  }
  return { width, height, renditions };
};

/** The most that WebP can hold, in pixels. */
const maxSide = 16_383;

/**
 * Decodes an image wholly and makes its renditions.
 * @param maxPixels judged by the header, before anything is decoded
 * @returns what is wrong with it where it does not decode
 */
export const decodeImage = async (path: string, maxPixels: number): Promise<DecodedImage | ImageFault> => {
  try {
    return await decode(path, maxPixels);
  } catch (error) {
    return /pixel limit/i.test(String(error)) ? 'too_many_pixels' : 'broken_image';
  }
};
