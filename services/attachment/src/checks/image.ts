import sharp from 'sharp';
import { renditionSizes } from '../domain/raster.ts';

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
  const sizes = renditionSizes(autoOrient);
  const widest = sizes.at(-1) ?? autoOrient;
  // Decoded once, to the widest; the others are made from its pixels.
  const { data, info } = await sharp(path, options)
    .autoOrient()
    .resize({ ...widest, fit: 'fill' })
    .toColourspace('srgb')
    .timeout({ seconds: decodeTimeout })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels = { raw: { width: info.width, height: info.height, channels: info.channels } };
  const renditions: DecodedImage['renditions'] = [];
  for (const size of sizes) {
    const webp = await sharp(data, pixels)
      .resize({ ...size, fit: 'fill' })
      .webp()
      .toBuffer();
    renditions.push({ ...size, webp });
  }
  return { width: autoOrient.width, height: autoOrient.height, renditions };
};

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
